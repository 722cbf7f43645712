import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { canEnter, databaseUser, type SystemUser } from './database-user.js';

/** The data directory, and the requested one if that could not be used. */
export interface Home {
  readonly path: string;
  readonly insteadOf?: string;
}

/**
 * The data directory: PERDURE_HOME, else `~/.perdure`. The embedded PostgreSQL's user must be able to enter it. A
 * directory that this user cannot enter is replaced by one in /var/lib, which is always the same for the same
 * request.
 */
export function resolveHome(wanted: string | undefined, user: SystemUser | undefined = databaseUser()): Home {
  const path = resolve(expandTilde(wanted ?? join('~', '.perdure')));
  // We own the data directory and can open it to the user, but not the directories above it.
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
