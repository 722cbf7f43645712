import type { McpConfig } from '../../core/tools/mcp.js';
import { isSealed, mask, type Vault } from '../../core/vault.js';
import { MaskedValueError } from '../agents/variables.js';

/** A configuration as it is kept: its token, its headers and its variables are sealed. */
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

/** The configuration as its server is reached by. Throws VaultError. */
export function openMcpConfig(
  vault: Vault,
  { id, config }: { readonly id: string; readonly config: SealedMcpConfig },
): McpConfig {
  return mapSecrets(config.sealed, (value, place) =>
    value === '' ? '' : vault.open(value, `${id} ${place}`),
  );
}

/** The configuration as it may be shown. */
export function maskMcpConfig({ sealed }: SealedMcpConfig): McpConfig {
  return mapSecrets(sealed, (value) => (value === '' ? '' : mask));
}

/** A configuration with what is kept in the place of its masks. Throws MaskedValueError where nothing is. */
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

/** Whether anything of it is kept in the clear. */
export function isPlain(config: McpConfig): boolean {
  let plain = false;
  mapSecrets(config, (value) => {
    plain ||= value !== '' && !isSealed(value);
    return value;
  });
  return plain;
}

/** Calls `change` for all that is secret of a configuration, each with its place in it. */
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
