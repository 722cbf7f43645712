import type { PrefixInput } from '../threads/context.js';
import type { ToolSchema } from '../turns/model.js';
import type { Decision, StepOutcome } from '../turns/turn.js';
import type { BaseMemory } from './memory.js';
import type { ExtensionTool, MemoryTool } from './tools.js';

/** What a module of a user's own adds to the runtime. Its functions only compute: they may be called again and again. */
export interface Extension {
  /** By which agents choose its `compile` and `decide`. */
  readonly name: string;
  /** A memory class, for its tools. */
  readonly memory?: Pick<typeof BaseMemory, 'tools'>;
  /** Tools beside those of its memory class. Every agent may have them, whatever extension it chose. */
  readonly tools?: readonly ExtensionTool[];
  /** Of `compile`: another one makes agents' prompts anew. */
  readonly version?: string;
  /**
   * The system prompt of an agent that chose this extension, from all that it is compiled of and the one that it would
   * have otherwise. It is asked once a context epoch, not at each step.
   */
  compile?(state: PrefixInput, base: string): string;
  /**
   * Whether an agent that chose this extension gets another step, from the step's outcome and what would be decided
   * otherwise. It can't lift the limit of steps, and is not asked where calls wait for an approval.
   */
  decide?(step: StepOutcome, base: Decision): Decision;
}

/** An extension, to be exported from a module as its default, by itself or in an array. */
export function defineExtension(extension: Extension): Extension {
  return extension;
}

/** A tool of an extension without its function. */
export type ToolDescription = ToolSchema &
  (
    | { readonly kind: 'memory'; readonly sections: readonly string[] }
    | { readonly kind: 'messaging'; readonly argument: string }
  );

/** What an extension has, without its functions. */
export interface ExtensionDescription {
  readonly name: string;
  readonly version: string;
  readonly compiles: boolean;
  readonly decides: boolean;
  readonly tools: readonly ToolDescription[];
}

/** An agent's metadata names the extension that it chose under this key: clients of every generation can set it. */
export const extensionKey = 'perdure_extension';

/** The extension's own tools: those of its memory class that are not the runtime's, and others. */
export function toolsOf({ memory, tools = [] }: Extension): readonly ExtensionTool[] {
  return [...(memory?.tools ?? []).filter((tool): tool is MemoryTool => typeof tool !== 'string'), ...tools];
}

/** The extension without its functions. */
export function describeExtension(extension: Extension): ExtensionDescription {
  return {
    name: extension.name,
    version: extension.version ?? '1',
    compiles: extension.compile !== undefined,
    decides: extension.decide !== undefined,
    tools: toolsOf(extension).map(describeTool),
  };
}

/** A tool of an extension without its function. */
export function describeTool(tool: ExtensionTool): ToolDescription {
  const { name, description, parameters } = tool;
  const schema = { name, description, parameters };
  return tool.kind === 'memory'
    ? { ...schema, kind: tool.kind, sections: tool.sections }
    : { ...schema, kind: tool.kind, argument: tool.argument };
}
