import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import type { StopReason } from '../core/turns/stop-reasons.js';

/** The end of a turn, for the workflow: verdicts only. The sentence for the user is in the database. */
export interface Settlement {
  readonly stopReason: StopReason;
  /** A type of `core/failures.ts`, where a failure of the world ended it. */
  readonly failure?: string;
}

/** Whether the activity found that the turn no longer belongs to this execution. */
export function isFenced(error: unknown): boolean {
  return failureType(error) === 'Turn.Fenced';
}

/** How an error that the loop can't handle ends the turn. */
export function toSettlement(error: unknown): Settlement {
  const type = failureType(error);
  if (type === undefined) throw error;
  return { stopReason: type.startsWith('Model.') ? 'llm_api_error' : 'error', failure: type };
}

/** The type of an activity's failure; undefined for other errors. */
export function failureType(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  const cause = error.cause;
  if (cause instanceof ApplicationFailure) return cause.type ?? 'Unknown';
  if (cause instanceof TimeoutFailure)
    return ['callModel', 'summarize'].includes(error.activityType) ? 'Model.Timeout' : 'Activity.Timeout';
  return undefined;
}
