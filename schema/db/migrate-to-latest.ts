import { setTimeout as delay } from 'node:timers/promises';
import { Migrator } from 'kysely';
import { type Db, openDatabase } from './database.js';
import { migrations } from './migrations/index.js';
import { isLate } from './outages.js';
import { saveBuiltinTools } from '../tools/tools.js';
import { migrationLimits, type WaitLimits } from './wait-limits.js';

/** How often migrations are tried while others hold locks: about ten minutes. */
const mostTries = 100;
/** Pause between tries, in ms, in which those that queued behind a migration get their locks. */
const pauseMs = 1_000;

/**
 * Migrates the database from any earlier schema to the newest, and writes the rows of built-in tools. Kysely holds an
 * advisory lock meanwhile, so processes that start together migrate once. Throws the error of a failing migration,
 * whose transaction is rolled back. `databaseUrl` must lead to the server itself, not to a pooler. Returns the names
 * of the migrations that ran.
 */
export async function migrateToLatest(
  databaseUrl: string,
  limits: WaitLimits = migrationLimits,
): Promise<readonly string[]> {
  const database = openDatabase(databaseUrl, { connections: 2, limits });
  try {
    const ran = await patiently(() => migrate(database.db));
    await saveBuiltinTools(database.db);
    return ran;
  } finally {
    await database.close();
  }
}

async function migrate(db: Db): Promise<readonly string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
    // Numbers are merged out of order: a database with a later migration still gets the earlier one.
    allowUnorderedMigrations: true,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined)
    throw error instanceof Error ? error : new Error('Migration failed.', { cause: error });
  return (results ?? []).map((result) => result.migrationName);
}

/** Tries again where a lock was not free in time: waiting longer would block everyone behind it. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === mostTries || !isLate(error)) throw error;
      await delay(pauseMs);
    }
  }
}
