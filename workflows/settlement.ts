import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import type { StopReason } from '../core/turns/stop-reasons.js';

/** How a turn ends, as the workflow knows it: verdicts only, the sentence for the user is in the database. */
export interface Settlement {
  readonly stopReason: StopReason;
  /** A name of `core/failures.ts`, where the world ended it. */
  readonly failure?: string;
}

/** Whether the activity found that the turn is not this execution's any more. */
export function isFenced(error: unknown): boolean {
  return failureType(error) === 'Turn.Fenced';
}

/** What an error that the loop could not answer makes of the turn. */
export function toSettlement(error: unknown): Settlement {
  const type = failureType(error);
  if (type === undefined) throw error;
  return { stopReason: type.startsWith('Model.') ? 'llm_api_error' : 'error', failure: type };
}

/** The type of the failure that an activity ended with; undefined where the error is none of the world. */
export function failureType(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  const cause = error.cause;
  if (cause instanceof ApplicationFailure) return cause.type ?? 'Unknown';
  if (cause instanceof TimeoutFailure)
    return ['callModel', 'summarize'].includes(error.activityType) ? 'Model.Timeout' : 'Activity.Timeout';
  return undefined;
}
