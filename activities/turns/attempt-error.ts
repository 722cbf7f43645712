import type { WorldFailure } from '../../core/failures.js';
import type { AttemptError } from '../../schema/turns/records.js';

/** What the step's row records of a failed attempt: our sentence, the provider's words, whether to try again. */
export function toAttemptError(failure: WorldFailure, attempt: number): AttemptError {
  const { type, message, detail, retryable, retryAfterMs } = failure;
  const told = detail === undefined ? message : `${message} (${detail})`;
  return { type, message: told, attempt, retryable, retryAfterMs };
}
