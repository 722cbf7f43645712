import { createHash } from 'node:crypto';
import { parseSecretKey, type SecretKey } from '../../../adapters/settings/secret-keys.js';
import { createVault } from '../../../schema/db/vault.js';

/** A key that follows from its name. */
export function aSecretKey(name: string): SecretKey {
  const key = parseSecretKey(createHash('sha256').update(name).digest('hex'));
  if (key === undefined) throw new Error('this is no key');
  return key;
}

/** The vault of all servers and workers of tests. */
export const testVault = createVault([aSecretKey('test')]);
