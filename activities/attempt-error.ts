import { failureTypes, WorldFailure } from '../core/failures.js';
import type { Db } from '../schema/database.js';
import type { AttemptError } from '../schema/records.js';
import type { StepAttempt } from '../schema/step-writes.js';
import { attemptError } from '../schema/steps.js';

/** What the step's row keeps of an attempt's failure: our sentence, what the provider said, whether to try again. */
export function toAttemptError(failure: WorldFailure, attempt: number): AttemptError {
  const { type, message, detail, retryable, retryAfterMs } = failure;
  const told = detail === undefined ? message : `${message} (${detail})`;
  return { type, message: told, attempt, retryable, retryAfterMs };
}

/**
 * Throws the WorldFailure that an attempt has ended with, if it did: where Temporal has forgotten that one, it learns
 * from another's whether and when to try again.
 */
export async function throwErrorOf(db: Db, attempt: Pick<StepAttempt, 'id' | 'attempt'>): Promise<void> {
  const error = await attemptError(db, attempt);
  const type = failureTypes.find((one) => one === error?.type);
  if (error === undefined || type === undefined) return;
  const { message, retryable, retryAfterMs } = error;
  // The row has the provider's words beside ours: no `message`, which is ours alone.
  const told = 'Another attempt at this model call, which this one waited for, has failed.';
  throw new WorldFailure(type, told, { retryable, retryAfterMs, detail: message });
}
