import { pathToFileURL } from 'node:url';
import { Migrator } from 'kysely';
import { resolveDatabaseUrl } from '../adapters/settings/endpoints.js';
import { loadEnvironment, readSettings } from '../adapters/settings/settings.js';
import { openDatabase } from './database.js';
import { migrations } from './migrations/index.js';
import { saveBuiltinTools } from './tools.js';

/**
 * Brings the database forward to the newest schema, from any earlier one, and writes the built-in tools' rows.
 * Kysely holds an advisory lock meanwhile, so processes that start together migrate once. Throws what the
 * failing migration threw; its transaction is rolled back.
 * Returns the names of the migrations that ran.
 */
export async function migrateToLatest(databaseUrl: string): Promise<readonly string[]> {
  const database = openDatabase(databaseUrl, { connections: 2 });
  try {
    const migrator = new Migrator({
      db: database.db,
      provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
      // Numbers land in another order than they are taken in: a database that has a later one gets the earlier one too.
      allowUnorderedMigrations: true,
    });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined)
      throw error instanceof Error ? error : new Error('Migration failed.', { cause: error });
    await saveBuiltinTools(database.db);
    return (results ?? []).map((result) => result.migrationName);
  } finally {
    await database.close();
  }
}

async function main(): Promise<void> {
  const ran = await migrateToLatest(resolveDatabaseUrl(readSettings(loadEnvironment())));
  process.stdout.write(ran.length === 0 ? 'The schema is up to date.\n' : `Migrated: ${ran.join(', ')}.\n`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
