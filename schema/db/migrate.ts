import { resolveDatabaseWays } from '../../adapters/settings/endpoints.js';
import { readSecretKeys } from '../../adapters/settings/secret-keys.js';
import {
  loadEnvironment,
  readSettings,
  type Settings,
  SettingsError,
} from '../../adapters/settings/settings.js';
import { checkConnections } from './connection-check.js';
import { openDatabase } from './database.js';
import { migrateToLatest } from './migrate-to-latest.js';
import { checkBinding } from './runtime-binding.js';
import { checkSecretKeys } from './secret-keys.js';
import { createVault } from './vault.js';

/** The process that migrates the database. */
async function main(): Promise<void> {
  const settings = readSettings(loadEnvironment());
  const ways = resolveDatabaseWays(settings);
  await checkConnections(ways, settings.databaseLimits);
  const ran = await migrateToLatest(ways.databaseDirectUrl);
  await checkRuntime(ways.databaseDirectUrl, settings);
  process.stdout.write(ran.length === 0 ? 'The schema is up to date.\n' : `Migrated: ${ran.join(', ')}.\n`);
}

/** Checked here so that the whole stack refuses to start, not only its worker. */
async function checkRuntime(databaseUrl: string, settings: Settings): Promise<void> {
  const database = openDatabase(databaseUrl, { connections: 1 });
  try {
    await checkBinding(database.db, settings.temporal);
    await checkSecretKeys(database.db, createVault(readSecretKeys(settings)));
  } finally {
    await database.close();
  }
}

function fail(error: unknown): void {
  const message =
    error instanceof SettingsError ? error.message : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

await main().catch(fail);
