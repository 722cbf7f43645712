import { resolveDatabaseWays } from '../../adapters/settings/endpoints.js';
import { readSecretKeys } from '../../adapters/settings/secret-keys.js';
import { loadEnvironment, readSettings, SettingsError } from '../../adapters/settings/settings.js';
import { openDatabase } from './database.js';
import { resealSecrets } from './secret-keys.js';
import { createVault } from './vault.js';

/**
 * `npm run reseal`: seals all secrets with PERDURE_SECRET_KEY, so that PERDURE_SECRET_KEY_OLD is no longer needed.
 */
async function main(): Promise<void> {
  const settings = readSettings(loadEnvironment());
  const keys = readSecretKeys(settings);
  if (keys.length === 0) {
    const message = `is not set, and ${settings.home} has no key. Set it to the new key, and PERDURE_SECRET_KEY_OLD to the old one.`;
    throw new SettingsError([{ variable: 'PERDURE_SECRET_KEY', message }]);
  }
  const database = openDatabase(resolveDatabaseWays(settings).databaseDirectUrl, { connections: 1 });
  try {
    const changed = await resealSecrets(database.db, createVault(keys));
    process.stdout.write(
      `Sealed with the current key: ${changed} agents and MCP servers. The key is ${keys[0]?.id ?? ''}.\n`,
    );
  } finally {
    await database.close();
  }
}

await main().catch((error: unknown) => {
  const message =
    error instanceof SettingsError ? error.message : String(error instanceof Error ? error.stack : error);
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
