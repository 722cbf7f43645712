import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What SQLite keeps beside a database file. */
const companions = ['', '-wal', '-shm', '-journal'];

/**
 * Readies the place of a server's database file. A server makes its tables in a file that is not there, and takes
 * one that is there as it is, also where its maker was killed between two tables. So a file is marked as unfinished from
 * before it is made until `finishTemporalFile`, and one that is still marked is thrown away: nobody was told of its server.
 */
export function prepareTemporalFile(dbFile: string): void {
  mkdirSync(dirname(dbFile), { recursive: true });
  const mark = markOf(dbFile);
  if (existsSync(mark)) for (const one of companions) rmSync(dbFile + one, { force: true });
  else if (!existsSync(dbFile)) writeFileSync(mark, '');
}

/** Says that a server on the file is ready, so that all of its tables are there. */
export function finishTemporalFile(dbFile: string): void {
  const mark = markOf(dbFile);
  if (!existsSync(mark)) return;
  // After a power cut the mark must not be gone without the tables being there.
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
