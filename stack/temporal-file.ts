import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The files that SQLite keeps next to a database file. */
const companions = ['', '-wal', '-shm', '-journal'];

/**
 * Prepares the database file of a Temporal server. A server creates its tables only in a new file; a file whose creator was
 * killed half-way stays incomplete. So a new file is marked as unfinished until `finishTemporalFile`, and a file that is
 * still marked is deleted: no client has used its server yet.
 */
export function prepareTemporalFile(dbFile: string): void {
  mkdirSync(dirname(dbFile), { recursive: true });
  const mark = markOf(dbFile);
  if (existsSync(mark)) for (const one of companions) rmSync(dbFile + one, { force: true });
  else if (!existsSync(dbFile)) writeFileSync(mark, '');
}

/** Removes the mark: a server on the file is ready, so all tables are there. */
export function finishTemporalFile(dbFile: string): void {
  const mark = markOf(dbFile);
  if (!existsSync(mark)) return;
  // Flushed first: after a power cut the mark must not be gone while tables are missing.
  for (const path of [...companions.map((one) => dbFile + one), dirname(dbFile)]) flush(path);
  rmSync(mark, { force: true });
}

function markOf(dbFile: string): string {
  return `${dbFile}.unfinished`;
}

function flush(path: string): void {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
