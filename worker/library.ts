/**
 * perdure's workflows and activities in a worker of a program of one's own.
 *
 * @module perdure/worker
 */

import { type LogMetadata, Runtime } from '@temporalio/worker';
import type { Log } from '../activities/deps.js';
import { loadEnvironment, readSettings } from '../adapters/settings/settings.js';
import type { OwnActivities } from './create-worker.js';
import { type OpenWorker, openWorker } from './open-worker.js';

export type { OpenWorker, OwnActivities };

/** What the worker of one's own program is made of. */
export interface WorkerOptions {
  /** Settings as environment variables. Default: the process's, with those of `.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Activities of your own, for workflows of your own to call on the same task queue. */
  readonly activities?: OwnActivities;
}

/**
 * A Temporal worker that runs agents' turns, and your own activities. It logs to the Temporal runtime's logger. Throws
 * SettingsError where a setting is wrong, and TypeError where an activity has the name of one of perdure's.
 */
export async function createWorker(options: WorkerOptions = {}): Promise<OpenWorker> {
  const env = options.env ?? loadEnvironment();
  const { activities } = options;
  return openWorker({
    settings: readSettings(env),
    env,
    log: runtimeLog(),
    activities,
    endsAtStandstill: false,
  });
}

function runtimeLog(): Log {
  const { logger } = Runtime.instance();
  return {
    warn: (message, details) => {
      logger.warn(message, { ...details } satisfies LogMetadata);
    },
    error: (message, details) => {
      logger.error(message, { ...details } satisfies LogMetadata);
    },
  };
}
