import type { PromptSources } from '../../core/threads/context.js';
import type { ExtensionDescription } from '../../core/extensions/extension.js';
import type { ToolArguments } from '../../core/extensions/tools.js';
import type { Decision, StepOutcome } from '../../core/turns/turn.js';
import type { SettingsProblem } from '../settings/settings-error.js';

/** A call to the extensions' thread. */
export type ExtensionCall =
  | {
      readonly kind: 'edit';
      readonly tool: string;
      readonly args: ToolArguments;
      readonly sections: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'compile';
      readonly extension: string;
      readonly state: PromptSources;
      readonly base: string;
    }
  | {
      readonly kind: 'decide';
      readonly extension: string;
      readonly step: StepOutcome;
      readonly base: Decision;
    };

/** A message of the thread: first that the modules are loaded or why not, then an answer to each call, in order. */
export type ExtensionAnswer =
  | { readonly kind: 'loaded'; readonly extensions: readonly ExtensionDescription[] }
  | { readonly kind: 'refused'; readonly problems: readonly SettingsProblem[] }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly reason: string };
