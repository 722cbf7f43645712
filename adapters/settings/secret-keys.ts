import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from './settings-error.js';

/** A key for secrets in the database. */
export interface SecretKey {
  /** 128 bits in hex, derived one-way from the key. It is stored with what the key sealed. */
  readonly id: string;
  /** 32. */
  readonly bytes: Buffer;
}

const secretKeyBytes = 32;

/** A key of 64 hex digits or 44 characters of base64 (`=` may be missing); undefined for other texts. */
export function parseSecretKey(text: string): SecretKey | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return toKey(Buffer.from(text, 'hex'));
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === secretKeyBytes ? toKey(bytes) : undefined;
}

/**
 * The keys of this process, the sealing one first: those that are set, else the one in the data directory; empty
 * where there is none. Throws SettingsError where the file holds something else.
 */
export function readSecretKeys(settings: {
  readonly home: string;
  readonly secretKey?: SecretKey;
  readonly oldSecretKeys: readonly SecretKey[];
}): readonly SecretKey[] {
  const current = settings.secretKey ?? readKeyFile(settings.home);
  return current === undefined ? [] : [current, ...settings.oldSecretKeys];
}

/** Creates a key in the data directory, readable by its owner only, unless there is one. */
export function makeSecretKey(home: string): void {
  if (readKeyFile(home) !== undefined) return;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = keyFile(home);
  const written = `${file}.${process.pid}`;
  writeFileSync(written, `${randomBytes(secretKeyBytes).toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    // A link never replaces a key that was created meanwhile, and never shows half of one.
    linkSync(written, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

function readKeyFile(home: string): SecretKey | undefined {
  let text: string;
  try {
    text = readFileSync(keyFile(home), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = parseSecretKey(text.trim());
  if (key !== undefined) return key;
  const message = `is not set, and ${keyFile(home)} does not hold a key: restore that file, or set the key. Without it the secrets in the database can't be read.`;
  throw new SettingsError([{ variable: 'PERDURE_SECRET_KEY', message }]);
}

function keyFile(home: string): string {
  return join(home, 'secret.key');
}

function toKey(bytes: Buffer): SecretKey {
  return { id: Buffer.from(hkdfSync('sha256', bytes, '', 'perdure key id', 16)).toString('hex'), bytes };
}
