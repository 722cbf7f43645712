import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { type FailureType, WorldFailure } from '../core/failures.js';
import { isOutage } from '../schema/db/outages.js';
import type { Log } from './deps.js';
import { timeLeftMs } from './keep-alive.js';

/**
 * A failure for Temporal: its type, its status and its retry delay. Words of the provider or the database may hold
 * contents, so they go to the step's row and the worker's log, never into the history.
 */
function toApplicationFailure(failure: WorldFailure, beganAt: number): ApplicationFailure {
  const isTooLate = failure.retryAfterMs !== undefined && failure.retryAfterMs >= timeLeftMs(beganAt);
  return ApplicationFailure.create({
    type: failure.type,
    message: failure.status === undefined ? failure.type : `${failure.type} (status ${failure.status})`,
    // A retry after the activity's deadline is pointless, so the failure is final now.
    nonRetryable: !failure.retryable || isTooLate,
    ...(failure.retryAfterMs === undefined ? {} : { nextRetryDelay: failure.retryAfterMs }),
  });
}

/** The database is unavailable, or did not answer in time. */
const databaseUnavailable: FailureType = 'Database.Unavailable';

/** The failure of an activity whose turn has ended or belongs to another execution, so it may not write. */
export function fenced(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'Turn.Fenced',
    message: 'The turn has ended or belongs to another execution.',
    nonRetryable: true,
  });
}

/** An activity of any input and output. */
type AnyActivity = (input: never) => Promise<unknown>;

/** The same activities as plain functions. */
type Wrapped<All extends Record<string, AnyActivity>> = {
  readonly [Name in keyof All]: (input: Parameters<All[Name]>[0]) => ReturnType<All[Name]>;
};

/**
 * Wraps activities so that no error's text enters the history. Our own typed failures pass. Any other error is logged
 * in full and becomes its class name and code.
 */
export function withoutContents<All extends Record<string, AnyActivity>>(
  activities: All,
  log: Log,
): Wrapped<All> {
  const wrapped = Object.entries(activities).map(([name, run]) => [
    name,
    (input: never) => {
      const beganAt = performance.now();
      return run(input).catch((error: unknown) => throwWithoutContents(error, { name, log, beganAt }));
    },
  ]);
  // The names and types are those of `activities`, which the compiler can't see.
  return Object.fromEntries(wrapped) as Wrapped<All>;
}

interface Attempt {
  /** The activity's. */
  readonly name: string;
  readonly log: Log;
  /** By `performance.now()`. */
  readonly beganAt: number;
}

function throwWithoutContents(error: unknown, { name, log, beganAt }: Attempt): never {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) throw error;
  if (error instanceof WorldFailure) throw toApplicationFailure(error, beganAt);
  if (isOutage(error)) {
    log.warn(`Activity ${name} could not reach the database in time. It will be tried again.`, { error });
    throw ApplicationFailure.create({ type: databaseUnavailable, message: `Activity ${name} failed.` });
  }
  log.error(`Activity ${name} failed.`, { error });
  throw ApplicationFailure.create({ type: errorCode(error), message: `Activity ${name} failed.` });
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code === undefined ? error.constructor.name : `${error.constructor.name}.${code}`;
}
