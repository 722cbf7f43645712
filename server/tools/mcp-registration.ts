import { McpCommandsOffError, McpError } from '../../adapters/mcp/mcp-server.js';
import type { McpConfig } from '../../core/tools/mcp.js';
import { inTransaction } from '../../schema/db/database.js';
import { openMcpConfig, sealMcpConfig, unmaskMcpConfig } from '../../schema/tools/mcp-secrets.js';
import {
  createMcpServer,
  type McpServerRecord,
  newMcpServerId,
  requireMcpServer,
  updateMcpServer,
} from '../../schema/tools/mcp-servers.js';
import { listMcpTools, type McpSync, syncMcpTools } from '../../schema/tools/mcp-tools.js';
import type { Tool } from '../../schema/tools/tools.js';
import type { ServerDeps } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';

/**
 * Registers an MCP server with the tools that it lists. A server that can't be reached is registered too, as in Letta;
 * its tools are read at the first request for them. Throws McpServerTakenError, McpCommandsOffError and
 * RequestRefusedError.
 */
export async function registerMcpServer(
  deps: ServerDeps,
  input: { readonly name: string; readonly config: McpConfig },
): Promise<McpServerRecord> {
  refuseCommands(deps, input.config);
  const id = newMcpServerId();
  const config = sealMcpConfig(deps.vault, id, unmaskMcpConfig(input.config));
  const tools = await toolsIfReached(deps, input.config);
  return inTransaction(deps.db, async (tx) => {
    const server = await createMcpServer(tx, { id, name: input.name, config });
    if (tools !== undefined) await syncMcpTools(tx, server, tools);
    return server;
  });
}

/** The tools that a server lists; undefined where it can't be reached. */
async function toolsIfReached({ mcp }: ServerDeps, config: McpConfig): Promise<McpListed | undefined> {
  try {
    return await mcp.listTools(config);
  } catch (error) {
    // A server that breaks the protocol is an error that the user has to fix.
    if (error instanceof McpError && error.kind !== 'protocol') return undefined;
    throw error;
  }
}

type McpListed = Awaited<ReturnType<ServerDeps['mcp']['listTools']>>;

/** The tools of a server. Where none are known yet, they are read now: the server may have been unreachable before. */
export async function knownMcpTools(deps: ServerDeps, server: McpServerRecord): Promise<readonly Tool[]> {
  const known = await listMcpTools(deps.db, server.id);
  if (known.length > 0) return known;
  const tools = await toolsIfReached(deps, openMcpConfig(deps.vault, server));
  if (tools === undefined || tools.length === 0) return [];
  await syncMcpTools(deps.db, server, tools);
  return listMcpTools(deps.db, server.id);
}

/**
 * Changes a server. Where it can't be reached with the change, it keeps its known tools. Throws what `registerMcpServer`
 * throws.
 */
export async function changeMcpServer(
  deps: ServerDeps,
  server: McpServerRecord,
  change: { readonly name?: string | undefined; readonly config?: McpConfig | undefined },
): Promise<McpServerRecord> {
  const { name = server.name } = change;
  if (change.config !== undefined) refuseCommands(deps, change.config);
  const config =
    change.config === undefined
      ? undefined
      : unmaskMcpConfig(change.config, openMcpConfig(deps.vault, server));
  const sealed = config === undefined ? server.config : sealMcpConfig(deps.vault, server.id, config);
  const tools = config === undefined ? undefined : await toolsIfReached(deps, config);
  return inTransaction(deps.db, async (tx) => {
    const changed = await updateMcpServer(tx, server.id, { name, config: sealed });
    if (tools !== undefined) await syncMcpTools(tx, changed, tools);
    return changed;
  });
}

/** Reads a server's tools again. Throws McpError, McpServerNotFoundError. */
export async function refreshMcpServer(deps: ServerDeps, serverId: string): Promise<McpSync> {
  const server = await requireMcpServer(deps.db, serverId);
  return syncMcpTools(deps.db, server, await deps.mcp.listTools(openMcpConfig(deps.vault, server)));
}

/** Registering a command means running it: only where the settings allow it, and never for strangers on a network. */
function refuseCommands({ settings }: ServerDeps, config: McpConfig): void {
  if (config.transport !== 'stdio') return;
  if (settings.mcpCommands !== true) throw new McpCommandsOffError();
  if (settings.allowsCommands !== false) return;
  throw new RequestRefusedError(
    403,
    'An MCP server over stdio runs a command on this machine, and anyone who reaches this server could register one. Set LETTA_SERVER_PASSWORD, listen on loopback only, or use a server over HTTP.',
  );
}
