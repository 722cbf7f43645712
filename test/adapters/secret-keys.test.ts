import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeSecretKey, parseSecretKey, readSecretKeys } from '../../adapters/settings/secret-keys.js';
import { readSettings, SettingsError } from '../../adapters/settings/settings.js';

const hex = '0123456789abcdef'.repeat(4);
const base64 = Buffer.from(hex, 'hex').toString('base64');

describe('[secrets.key] the key for secrets', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'perdure-key-'));
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  it('is 32 bytes in hex or base64, with the same id for both', () => {
    const keys = [hex, hex.toUpperCase(), base64, base64.replace('=', '')].map(parseSecretKey);

    expect(keys.map((key) => key?.bytes.toString('hex'))).toEqual([hex, hex, hex, hex]);
    expect(new Set(keys.map((key) => key?.id)).size).toBe(1);
    expect(keys[0]?.id).toMatch(/^[0-9a-f]{32}$/);
    expect(hex).not.toContain(keys[0]?.id);
  });

  it.each(['short', hex.slice(2), `${hex}00`, `${base64}=`, 'a'.repeat(44)])(
    'is refused without being shown if it is invalid: %s',
    (given) => {
      const read = () => readSettings({ PERDURE_SECRET_KEY: given });

      expect(read).toThrow(SettingsError);
      expect(read).toThrow(/PERDURE_SECRET_KEY must be 32 random bytes in hex or base64/);
      expect(read).not.toThrow(new RegExp(given));
    },
  );

  it('allows old keys only beside a current one', () => {
    const settings = readSettings({ PERDURE_SECRET_KEY: hex, PERDURE_SECRET_KEY_OLD: `${base64}, ${hex}` });

    expect(settings.oldSecretKeys).toHaveLength(2);
    expect(() => readSettings({ PERDURE_SECRET_KEY_OLD: hex })).toThrow(
      /PERDURE_SECRET_KEY is not set, but must/,
    );
  });

  it('is created once in the data directory, readable only by its owner, and read from there', () => {
    const settings = { home, oldSecretKeys: [] };
    expect(readSecretKeys(settings)).toEqual([]);

    makeSecretKey(home);
    const file = join(home, 'secret.key');
    const made = readFileSync(file, 'utf8');
    makeSecretKey(home);

    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(made).toMatch(/^[0-9a-f]{64}\n$/);
    expect(readFileSync(file, 'utf8')).toBe(made);
    expect(readSecretKeys(settings).map(({ bytes }) => bytes.toString('hex'))).toEqual([made.trim()]);
    const secretKey = parseSecretKey(hex);
    expect(secretKey && readSecretKeys({ ...settings, secretKey })[0]?.id).toBe(secretKey?.id);
  });

  it('is not replaced if its file is damaged, because sealed secrets would be lost', () => {
    writeFileSync(join(home, 'secret.key'), 'half a k');

    expect(() => {
      makeSecretKey(home);
    }).toThrow(/secret\.key does not hold a key: restore that file/);
    expect(readFileSync(join(home, 'secret.key'), 'utf8')).toBe('half a k');
  });
});
