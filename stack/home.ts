import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { databaseUser } from '../adapters/settings/database-user.js';
import type { Settings } from '../adapters/settings/settings.js';
import { clusterFiles } from './postgres-cluster.js';
import type { OnProgress } from './progress.js';

/** Paths in the data directory. */
export interface HomeFiles {
  readonly postgres: string;
  readonly temporal: string;
  readonly log: (name: string) => string;
  /** The log files that grow while the stack runs. */
  readonly logs: readonly string[];
}

/** Makes the data directory, readable by its owner only. As root, PostgreSQL's user may pass through it to its own part. */
export function prepareHome(settings: Settings, onProgress: OnProgress): HomeFiles {
  const { home, homeInsteadOf } = settings;
  if (homeInsteadOf !== undefined) {
    onProgress(`PostgreSQL's user cannot enter ${homeInsteadOf}: the data is in ${home}`);
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (databaseUser() !== undefined) chmodSync(home, 0o711);
  for (const part of ['temporal', 'logs']) mkdirSync(join(home, part), { recursive: true, mode: 0o700 });
  const postgres = join(home, 'postgres');
  const log = (name: string) => join(home, 'logs', `${name}.log`);
  return {
    postgres,
    temporal: join(home, 'temporal', 'temporal.db'),
    log,
    logs: [...['temporal', 'worker', 'server'].map(log), clusterFiles(postgres).log],
  };
}
