import type { PrefixInput } from '../../core/threads/context.js';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import type { MemoryEdit, ToolArguments } from '../../core/extensions/tools.js';
import type { Decision, StepOutcome } from '../../core/turns/turn.js';

/** Users' own extensions, loaded. Every call rejects with ExtensionFault where a function throws, hangs or answers nonsense. */
export interface Extensions {
  readonly all: readonly ExtensionDescription[];
  /** How a tool would change the sections that it is given by their labels. */
  edit(call: {
    readonly tool: string;
    readonly args: ToolArguments;
    readonly sections: Readonly<Record<string, string>>;
  }): Promise<MemoryEdit>;
  compile(call: {
    readonly extension: string;
    readonly state: PrefixInput;
    readonly base: string;
  }): Promise<string>;
  decide(call: {
    readonly extension: string;
    readonly step: StepOutcome;
    readonly base: Decision;
  }): Promise<Decision>;
  close(): Promise<void>;
}

/** A function of an extension failed. The message is its own, or says what it did; it may hold contents. */
export class ExtensionFault extends Error {
  override readonly name = 'ExtensionFault';
}
