import type { PromptSources } from '../threads/context.js';
import type { ToolSchema } from '../models/model.js';
import type { Decision, StepOutcome } from '../turns/turn.js';
import type { BaseMemory } from './memory.js';
import type { ExtensionTool, MemoryTool } from './tools.js';

/** What a user's module adds to the runtime. Its functions only compute: they may be called any number of times. */
export interface Extension {
  /** Agents choose its `compile` and `decide` by this name. */
  readonly name: string;
  /** A memory class. The extension adds its tools. */
  readonly memory?: Pick<typeof BaseMemory, 'tools'>;
  /** Tools in addition to those of the memory class. Any agent may have them, whichever extension it chose. */
  readonly tools?: readonly ExtensionTool[];
  /** Version of `compile`: when it changes, agents' prompts are compiled again. */
  readonly version?: string;
  /**
   * Returns the system prompt of an agent that chose this extension. `state` is all that the prompt is compiled from,
   * `base` the prompt without the extension. Called once per context epoch, not at each step.
   */
  compile?(state: PromptSources, base: string): string;
  /**
   * Decides whether an agent that chose this extension gets another step. `base` is the decision without the
   * extension. It can't lift the limit of steps, and is not called where calls wait for an approval.
   */
  decide?(step: StepOutcome, base: Decision): Decision;
}

/** Declares an extension. A module exports one, or an array of them, as its default. */
export function defineExtension(extension: Extension): Extension {
  return extension;
}

/** A tool of an extension, without its function. */
export type ToolDescription = ToolSchema &
  (
    | { readonly kind: 'memory'; readonly sections: readonly string[] }
    | { readonly kind: 'messaging'; readonly argument: string }
  );

/** An extension, without its functions. */
export interface ExtensionDescription {
  readonly name: string;
  readonly version: string;
  readonly compiles: boolean;
  readonly decides: boolean;
  readonly tools: readonly ToolDescription[];
}

/** The key in an agent's metadata that names its extension. Clients of every generation can set metadata. */
export const extensionKey = 'perdure_extension';

/** The extension's own tools: those of its memory class except the runtime's, and its others. */
export function toolsOf({ memory, tools = [] }: Extension): readonly ExtensionTool[] {
  return [...(memory?.tools ?? []).filter((tool): tool is MemoryTool => typeof tool !== 'string'), ...tools];
}

/** Describes the extension without its functions. */
export function describeExtension(extension: Extension): ExtensionDescription {
  return {
    name: extension.name,
    version: extension.version ?? '1',
    compiles: extension.compile !== undefined,
    decides: extension.decide !== undefined,
    tools: toolsOf(extension).map(describeTool),
  };
}

export function describeTool(tool: ExtensionTool): ToolDescription {
  const { name, description, parameters } = tool;
  const schema = { name, description, parameters };
  return tool.kind === 'memory'
    ? { ...schema, kind: tool.kind, sections: tool.sections }
    : { ...schema, kind: tool.kind, argument: tool.argument };
}
