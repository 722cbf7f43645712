import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { canEnter, databaseUser } from './database-user.js';

/** The directory under which programs that run as ourselves are kept between starts. It is not made here. */
export function ownCache(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'perdure');
}

/**
 * The directory for what the embedded PostgreSQL and custom tools must read. As root with a home that PostgreSQL's
 * user cannot enter it lies under /var/cache.
 */
export function sharedCache(): string {
  const own = ownCache();
  const user = databaseUser();
  const path = user === undefined || canEnter(own, user) ? own : '/var/cache/perdure';
  mkdirSync(path, { recursive: true, mode: 0o755 });
  return path;
}
