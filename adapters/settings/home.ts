import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { canEnter, databaseUser, type SystemUser } from './database-user.js';

/** The data directory, and the one that was asked for where that could not be used. */
export interface Home {
  readonly path: string;
  readonly insteadOf?: string;
}

/**
 * Where perdure's data lies: PERDURE_HOME, else `~/.perdure`. The embedded PostgreSQL must be able to get there as
 * its own user: what lies below a directory that this user cannot enter is replaced by a directory in /var/lib, the
 * same for the same wish.
 */
export function resolveHome(wanted: string | undefined, user: SystemUser | undefined = databaseUser()): Home {
  const path = resolve(expandTilde(wanted ?? join('~', '.perdure')));
  // The data directory itself is ours to open; what it lies in is not.
  if (user === undefined || canEnter(dirname(path), user)) return { path };
  const name =
    wanted === undefined
      ? 'perdure'
      : `perdure-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`;
  return { path: join('/var/lib', name), insteadOf: path };
}

function expandTilde(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}
