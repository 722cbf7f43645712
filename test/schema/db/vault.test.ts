import { describe, expect, it } from '@jest/globals';
import { isSealed, keyIdOf } from '../../../core/vault.js';
import { createVault, VaultError } from '../../../schema/db/vault.js';
import { aSecretKey } from '../../support/runtime/vault.js';

const [one, two] = [aSecretKey('one'), aSecretKey('two')];

describe('[secrets.sealed] a vault', () => {
  const vault = createVault([one]);

  it.each(['very secret', '', 'ünïcödé 🦊', 'x'.repeat(100_000)])(
    'opens what it sealed, and the seal does not reveal it: %.20s',
    (text) => {
      const sealed = vault.seal(text, 'agent-1 secrets KEY');

      expect(isSealed(sealed)).toBe(true);
      expect(keyIdOf(sealed)).toBe(one.id);
      expect(text === '' || !Buffer.from(sealed, 'utf8').includes(text)).toBe(true);
      expect(vault.open(sealed, 'agent-1 secrets KEY')).toBe(text);
    },
  );

  it('seals the same text differently each time', () => {
    expect(new Set(Array.from({ length: 50 }, () => vault.seal('a', 'b'))).size).toBe(50);
  });

  it('refuses to open a text that was moved, changed, cut or sealed with another key', () => {
    const sealed = vault.seal('very secret', 'agent-1 secrets KEY');
    const at = sealed.length - 3;
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;

    expect(() => vault.open(sealed, 'agent-2 secrets KEY')).toThrow(VaultError);
    expect(() => vault.open(changed, 'agent-1 secrets KEY')).toThrow(VaultError);
    expect(() => vault.open(sealed.slice(0, -4), 'agent-1 secrets KEY')).toThrow(VaultError);
    expect(() => vault.open('very secret', 'agent-1 secrets KEY')).toThrow(/is not sealed/);
    expect(() => createVault([two]).open(sealed, 'agent-1 secrets KEY')).toThrow(
      new RegExp(`sealed with the key ${one.id}, which this process does not have`),
    );
  });

  it('[secrets.rotation] opens with an old key, and seals with the new one', () => {
    const later = createVault([two, one]);

    expect(later.open(vault.seal('old', 'p'), 'p')).toBe('old');
    expect(keyIdOf(later.seal('new', 'p'))).toBe(two.id);
  });

  it('[secrets.no-key] says which setting is missing when it has no key', () => {
    expect(() => createVault([]).seal('a', 'b')).toThrow(/no key. Set PERDURE_SECRET_KEY \(openssl rand/);
  });
});
