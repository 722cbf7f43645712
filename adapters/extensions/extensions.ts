import type { PromptSources } from '../../core/threads/context.js';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import type { MemoryEdit, ToolArguments } from '../../core/extensions/tools.js';
import type { Decision, StepOutcome } from '../../core/turns/turn.js';

/**
 * Users' loaded extensions. A call rejects with ExtensionFault where a function throws, hangs or returns something
 * invalid.
 */
export interface Extensions {
  readonly all: readonly ExtensionDescription[];
  /** Lets a tool compute edits of the given sections. */
  edit(call: {
    readonly tool: string;
    readonly args: ToolArguments;
    readonly sections: Readonly<Record<string, string>>;
  }): Promise<MemoryEdit>;
  compile(call: {
    readonly extension: string;
    readonly state: PromptSources;
    readonly base: string;
  }): Promise<string>;
  decide(call: {
    readonly extension: string;
    readonly step: StepOutcome;
    readonly base: Decision;
  }): Promise<Decision>;
  close(): Promise<void>;
}

/**
 * A function of an extension failed. The message, which may hold contents, is the function's own or says what it did.
 */
export class ExtensionFault extends Error {
  override readonly name = 'ExtensionFault';
}
