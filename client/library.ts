/**
 * Agents, their turns and their memory, from a program of one's own.
 *
 * @module perdure
 */

import { loadEnvironment, readSettings } from '../adapters/settings/settings.js';
import type { Agents } from './agents.js';
import type { Blocks } from './blocks.js';
import type { Schedules } from './schedules.js';
import type { SleepTime } from './sleep-time.js';
import type { Talks, Turns } from './types.js';

export { SettingsError } from '../adapters/settings/settings-error.js';
export type { Agents, AgentRequest } from './agents.js';
export type { Blocks, EditOptions } from './blocks.js';
export type { DescribedSchedule, Schedules } from './schedules.js';
export type { SleepTime } from './sleep-time.js';
export type * from './types.js';

/** A connection to perdure: to its database and to Temporal, past its server. */
export interface Perdure {
  readonly agents: Agents;
  readonly blocks: Blocks;
  readonly turns: Turns;
  readonly talks: Talks;
  readonly sleepTime: SleepTime;
  readonly schedules: Schedules;
  /** Ends the connection. Turns go on. */
  readonly close: () => Promise<void>;
}

/** What `connect` may be told. */
export interface ConnectOptions {
  /** Settings as environment variables. Default: the process's, with those of `.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told when an agent could not be woken at once. Its message is stored, and a worker wakes it later. */
  readonly onWakeFailed?: (error: unknown) => void;
}

/**
 * Connects to the stack that `DATABASE_URL` and `TEMPORAL_ADDRESS` name, else to the one that runs on this machine.
 * Throws SettingsError where there is neither.
 */
export async function connect({ env, onWakeFailed }: ConnectOptions = {}): Promise<Perdure> {
  // Only now: what is imported for its types or errors alone loads no database driver.
  const { connect: open } = await import('./connect.js');
  const settings = readSettings(env ?? loadEnvironment());
  return open({ settings, ...(onWakeFailed === undefined ? {} : { onRingFailed: onWakeFailed }) });
}
