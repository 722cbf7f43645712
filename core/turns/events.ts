import type { ModelDelta } from '../models/model.js';
import type { StopReason } from './stop-reasons.js';
import type { Usage } from '../models/usage.js';

/**
 * An event of a turn's log, the source of every stream. Events name messages by id and don't repeat them; only
 * fragments of an unfinished answer carry text.
 */
export type TurnEvent =
  | { readonly kind: 'step_started'; readonly stepId: string; readonly step: number }
  /** A fragment of the answer that attempt `attempt` of the step receives; `messageId` is the answer's. */
  | {
      readonly kind: 'delta';
      readonly stepId: string;
      readonly attempt: number;
      readonly messageId: string;
      readonly delta: StreamFragment;
    }
  /** The attempt broke off, so what it streamed is void. */
  | {
      readonly kind: 'attempt_abandoned';
      readonly stepId: string;
      readonly attempt: number;
      readonly messageId: string;
    }
  /** Something outside failed, and Temporal will try again. */
  | {
      readonly kind: 'retrying';
      readonly stepId: string;
      readonly attempt: number;
      readonly failure: string;
      readonly message: string;
    }
  /** A message was added to the transcript. `streamed`: its fragments came before. */
  | { readonly kind: 'message'; readonly messageId: string; readonly streamed: boolean }
  /** The turn's messages entered a running turn: its log has the rest, after event `after`. */
  | { readonly kind: 'absorbed'; readonly by: string; readonly after: number }
  | {
      readonly kind: 'evicted';
      readonly messages: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** The last event of every turn. */
  | {
      readonly kind: 'ended';
      readonly stopReason: StopReason;
      readonly usage: Usage;
      readonly steps: number;
      readonly error?: TurnError;
    };

/**
 * A fragment of an answer, combined from the provider's. `spoken`: text of a MemGPT agent that speaks in plain text.
 */
export type StreamFragment =
  | Exclude<ModelDelta, { readonly kind: 'text' }>
  | (Extract<ModelDelta, { readonly kind: 'text' }> & { readonly spoken?: true });

/** Why a turn failed: a type of `failures.ts` or a stop reason, and a sentence for the user. */
export interface TurnError {
  readonly type: string;
  readonly message: string;
}

/** An event with its number in the turn's log. `seq` starts at 1 and has no gaps. */
export interface LoggedEvent {
  readonly turnId: string;
  readonly seq: number;
  readonly event: TurnEvent;
}
