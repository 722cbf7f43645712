import { z } from 'zod';
import type { McpConfig } from '../../core/tools/mcp.js';
import { maskMcpConfig } from '../../schema/tools/mcp-secrets.js';
import type { McpServerRecord } from '../../schema/tools/mcp-servers.js';
import { without } from '../http/fields-wire.js';

const serverName = z.string().min(1).max(64);
const texts = z.record(z.string(), z.string());

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const stdio = { command: z.string().min(1), args: z.array(z.string()), env: texts.nullish() };

const remote = {
  server_url: url,
  auth_header: z.string().nullish(),
  auth_token: z.string().nullish(),
  custom_headers: texts.nullish(),
};

/** How to reach a server, in the form of clients of 1.x. They may leave the type out. */
const config = z.union([
  z.object({ ...stdio, mcp_server_type: z.literal('stdio').default('stdio') }),
  z.object({ ...remote, mcp_server_type: z.enum(['streamable_http', 'sse']).default('streamable_http') }),
]);

/** A new server. */
export const mcpServerBody = z
  .object({ server_name: serverName, config })
  .meta({ id: 'CreateMCPServerRequest' });

/** Changes of a server: its name, its whole configuration, or both. */
export const mcpServerPatch = z
  .object({ server_name: serverName.nullish(), config: config.nullish() })
  .meta({ id: 'UpdateMCPServerRequest' });

/** A new server, in the form of clients of 0.1.x. */
export const olderMcpServerBody = z
  .union([
    z.object({ ...stdio, type: z.literal('stdio').default('stdio'), server_name: serverName }),
    z.object({
      ...remote,
      type: z.enum(['sse', 'streamable_http']).default('sse'),
      server_name: serverName,
    }),
  ])
  .meta({ id: 'MCPServerConfig' });

/** Changes of a server, in the form of clients of 0.1.x: single fields. */
export const olderMcpServerPatch = z
  .object({
    server_name: z.string().min(1).nullish(),
    server_url: url.nullish(),
    auth_header: z.string().nullish(),
    auth_token: z.string().nullish(),
    token: z.string().nullish(),
    custom_headers: texts.nullish(),
    stdio_config: z.looseObject(stdio).nullish(),
  })
  .meta({ id: 'UpdateMCPServer' });

/** A server as the API shows it. */
export const wireMcpServer = z
  .discriminatedUnion('mcp_server_type', [
    z.object({
      id: z.string(),
      server_name: z.string(),
      mcp_server_type: z.literal('stdio'),
      command: z.string(),
      args: z.array(z.string()),
      env: texts.nullable(),
    }),
    z.object({
      id: z.string(),
      server_name: z.string(),
      mcp_server_type: z.enum(['streamable_http', 'sse']),
      server_url: z.string(),
      auth_header: z.string().nullable(),
      auth_token: z.string().nullable(),
      custom_headers: texts.nullable(),
    }),
  ])
  .meta({ id: 'MCPServer' });

export type WireMcpServer = z.infer<typeof wireMcpServer>;

/** What changed when a server's tools were read again. */
export const wireMcpSync = z
  .object({ added: z.array(z.string()), updated: z.array(z.string()), deleted: z.array(z.string()) })
  .meta({ id: 'MCPSync' });

/** A tool as its server describes it. */
export const wireMcpTool = z
  .object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) })
  .meta({ id: 'MCPTool' });

/** The result of a tool call. */
export const wireExecution = z
  .object({
    status: z.enum(['success', 'error']),
    func_return: z.unknown(),
    stdout: z.array(z.string()),
    stderr: z.array(z.string()),
    sandbox_config_fingerprint: z.string().nullable(),
  })
  .meta({ id: 'MCPToolExecutionResult' });

type AnyConfig = z.infer<typeof config> | z.infer<typeof olderMcpServerBody>;

/** The configuration in the runtime's form. */
export function fromMcpConfig(given: AnyConfig): McpConfig {
  if ('command' in given) {
    return { transport: 'stdio', command: given.command, args: given.args, env: given.env ?? {} };
  }
  return {
    transport: 'type' in given ? given.type : given.mcp_server_type,
    url: given.server_url,
    headers: given.custom_headers ?? {},
    authHeader: given.auth_header ?? null,
    authToken: given.auth_token ?? null,
  };
}

/**
 * A configuration with an older client's changes: undefined where nothing changes, and 'other kind' where the fields
 * belong to another transport.
 */
export function mergeMcpConfig(
  before: McpConfig,
  change: z.infer<typeof olderMcpServerPatch>,
): McpConfig | undefined | 'other kind' {
  const { stdio_config: command } = change;
  const network = Object.values(without(change, 'server_name', 'stdio_config'));
  const isOfNetwork = network.some((value) => value != null);
  if (before.transport === 'stdio' ? isOfNetwork : command != null) return 'other kind';
  if (before.transport === 'stdio') {
    if (command == null) return undefined;
    return { transport: 'stdio', command: command.command, args: command.args, env: command.env ?? {} };
  }
  if (!isOfNetwork) return undefined;
  return {
    ...before,
    url: change.server_url ?? before.url,
    headers: change.custom_headers ?? before.headers,
    authHeader: change.auth_header ?? before.authHeader,
    authToken: change.auth_token ?? change.token ?? before.authToken,
  };
}

/** A server as the API shows it. Its token and the values of its headers and variables are masked. */
export function toWireMcpServer({ id, name, config }: McpServerRecord): WireMcpServer {
  const kept = maskMcpConfig(config);
  if (kept.transport === 'stdio') {
    return {
      id,
      server_name: name,
      mcp_server_type: 'stdio',
      command: kept.command,
      args: [...kept.args],
      env: { ...kept.env },
    };
  }
  return {
    id,
    server_name: name,
    mcp_server_type: kept.transport,
    server_url: kept.url,
    auth_header: kept.authHeader,
    auth_token: kept.authToken,
    custom_headers: { ...kept.headers },
  };
}

/** A server in the form of clients of 0.1.x. */
export function toOlderMcpServer(server: McpServerRecord): Record<string, unknown> {
  const { mcp_server_type: type, ...rest } = toWireMcpServer(server);
  return { ...rest, type };
}
