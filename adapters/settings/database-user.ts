import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A user of this machine, as `/etc/passwd` lists it. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user of the embedded PostgreSQL when this process is root, because PostgreSQL refuses to run as root:
 * `postgres` if it exists, else `nobody`. Undefined when this process is not root.
 */
export function databaseUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n').map(toSystemUser);
  return users.find((user) => user?.name === 'postgres') ?? users.find((user) => user?.name === 'nobody');
}

function toSystemUser(line: string): SystemUser | undefined {
  const [name, , uid, gid] = line.split(':');
  return name === undefined || uid === undefined ? undefined : { name, uid: Number(uid), gid: Number(gid) };
}

/** Whether the user can enter the directory and all above it. Missing ones don't count. */
export function canEnter(directory: string, user: SystemUser): boolean {
  const path = resolve(directory);
  const parent = dirname(path);
  if (parent !== path && !canEnter(parent, user)) return false;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return true;
  if (stat.uid === user.uid) return (stat.mode & 0o100) !== 0;
  if (stat.gid === user.gid) return (stat.mode & 0o010) !== 0;
  return (stat.mode & 0o001) !== 0;
}
