import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { canEnter, databaseUser } from './database-user.js';

/** The cache directory for programs that run as this user. It is not created here. */
export function ownCache(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'perdure');
}

/**
 * The directory for files that the embedded PostgreSQL and custom tools must read. As root with a home that
 * PostgreSQL's user cannot enter, it is under /var/cache.
 */
export function sharedCache(): string {
  const own = ownCache();
  const user = databaseUser();
  const path = user === undefined || canEnter(own, user) ? own : '/var/cache/perdure';
  mkdirSync(path, { recursive: true, mode: 0o755 });
  return path;
}
