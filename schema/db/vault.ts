import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretKey } from '../../adapters/settings/secret-keys.js';
import { isSealed, keyIdOf, type Vault } from '../../core/vault.js';
import { storable } from './storable.js';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** A secret can't be sealed or opened here. The message is for the server's operator. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}

/**
 * Creates a vault: AES-256-GCM with a random nonce per secret, and the place as associated data. The first key seals;
 * all can open. Without keys it neither opens nor seals.
 */
export function createVault(keys: readonly SecretKey[]): Vault {
  const [current] = keys;
  return {
    keyIds: keys.map(({ id }) => id),
    seal(text, place) {
      if (current === undefined) {
        throw new VaultError(
          'Secrets are kept encrypted, and this process has no key. Set PERDURE_SECRET_KEY (openssl rand -hex 32), the same for all servers and workers.',
        );
      }
      return `sealed.1.${current.id}.${encrypt(storable(text), place, current).toString('base64url')}`;
    },
    open(sealed, place) {
      if (!isSealed(sealed)) throw new VaultError(`The secret ${place} is not sealed.`);
      const key = keys.find(({ id }) => id === keyIdOf(sealed));
      if (key === undefined) {
        throw new VaultError(
          `The secret ${place} was sealed with the key ${keyIdOf(sealed) ?? ''}, which this process does not have: see PERDURE_SECRET_KEY and PERDURE_SECRET_KEY_OLD.`,
        );
      }
      return decrypt(Buffer.from(sealed.slice(sealed.lastIndexOf('.') + 1), 'base64url'), place, key);
    },
  };
}

function encrypt(text: string, place: string, { bytes }: SecretKey): Buffer {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, bytes, nonce).setAAD(Buffer.from(place));
  const encrypted = [encryption.update(text, 'utf8'), encryption.final()];
  return Buffer.concat([nonce, ...encrypted, encryption.getAuthTag()]);
}

function decrypt(sealed: Buffer, place: string, { bytes }: SecretKey): string {
  const end = sealed.length - tagBytes;
  const decryption = createDecipheriv(cipher, bytes, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decryption.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([
      decryption.update(sealed.subarray(nonceBytes, end)),
      decryption.final(),
    ]).toString();
  } catch (error) {
    throw new VaultError(`The secret ${place} was changed, or sealed for another place.`, {
      cause: error,
    });
  }
}
