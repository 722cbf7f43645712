import type { McpConfig } from '../../core/tools/mcp.js';
import { isSealed, mask, type Vault } from '../../core/vault.js';
import { MaskedValueError } from '../agents/variables.js';

/** A stored configuration, with its token, headers and variables sealed. */
export interface SealedMcpConfig {
  readonly sealed: McpConfig;
}

/** Seals a configuration for a server. Throws VaultError. */
export function sealMcpConfig(vault: Vault, serverId: string, config: McpConfig): SealedMcpConfig {
  return {
    sealed: mapSecrets(config, (value, place) =>
      value === '' ? '' : vault.seal(value, `${serverId} ${place}`),
    ),
  };
}

/** The configuration with its secrets opened. Throws VaultError. */
export function openMcpConfig(
  vault: Vault,
  { id, config }: { readonly id: string; readonly config: SealedMcpConfig },
): McpConfig {
  return mapSecrets(config.sealed, (value, place) =>
    value === '' ? '' : vault.open(value, `${id} ${place}`),
  );
}

/** The configuration with its secrets masked. */
export function maskMcpConfig({ sealed }: SealedMcpConfig): McpConfig {
  return mapSecrets(sealed, (value) => (value === '' ? '' : mask));
}

/** Replaces masks by the stored secrets. Throws MaskedValueError where there is none. */
export function unmaskMcpConfig(config: McpConfig, before?: McpConfig): McpConfig {
  const kept = new Map<string, string>();
  if (before !== undefined) {
    mapSecrets(before, (value, place) => {
      kept.set(place, value);
      return value;
    });
  }
  return mapSecrets(config, (value, place) => {
    if (value !== mask) return value;
    const found = kept.get(place);
    if (found === undefined) throw new MaskedValueError(place);
    return found;
  });
}

/** Whether a secret in it is not sealed. */
export function isPlain(config: McpConfig): boolean {
  let plain = false;
  mapSecrets(config, (value) => {
    plain ||= value !== '' && !isSealed(value);
    return value;
  });
  return plain;
}

/** Maps each secret of a configuration with `change`, which also gets the secret's place. */
export function mapSecrets(config: McpConfig, change: (value: string, place: string) => string): McpConfig {
  const each = (texts: Readonly<Record<string, string>>, kind: string) =>
    Object.fromEntries(
      Object.entries(texts).map(([name, value]) => [name, change(value, `${kind} ${name}`)]),
    );
  if (config.transport === 'stdio') return { ...config, env: each(config.env, 'env') };
  const { headers, authToken } = config;
  return {
    ...config,
    headers: each(headers, 'header'),
    authToken: authToken === null ? null : change(authToken, 'token'),
  };
}
