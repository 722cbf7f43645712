import { McpCommandsOffError } from '../adapters/mcp/mcp-server.js';
import type { McpConfig } from '../core/mcp.js';
import { inTransaction } from '../schema/database.js';
import {
  createMcpServer,
  type McpServerRecord,
  requireMcpServer,
  updateMcpServer,
} from '../schema/mcp-servers.js';
import { type McpSync, syncMcpTools } from '../schema/mcp-tools.js';
import type { ServerDeps } from './deps.js';
import { RequestRefusedError } from './problems.js';

/**
 * Registers a server with the tools that it lists: one that can't be asked is not kept. Throws McpError,
 * McpServerTakenError, McpCommandsOffError, RequestRefusedError.
 */
export async function registerMcpServer(
  deps: ServerDeps,
  input: { readonly name: string; readonly config: McpConfig },
): Promise<McpServerRecord> {
  refuseCommands(deps, input.config);
  const tools = await deps.mcp.listTools(input.config);
  return inTransaction(deps.db, async (tx) => {
    const server = await createMcpServer(tx, input);
    await syncMcpTools(tx, server, tools);
    return server;
  });
}

/** Changes a server, once it lists its tools with the change. Throws what `registerMcpServer` throws. */
export async function changeMcpServer(
  deps: ServerDeps,
  server: McpServerRecord,
  change: { readonly name?: string | undefined; readonly config?: McpConfig | undefined },
): Promise<McpServerRecord> {
  const { name = server.name, config = server.config } = change;
  if (change.config !== undefined) refuseCommands(deps, config);
  const tools = change.config === undefined ? undefined : await deps.mcp.listTools(config);
  return inTransaction(deps.db, async (tx) => {
    const changed = await updateMcpServer(tx, server.id, { name, config });
    if (tools !== undefined) await syncMcpTools(tx, changed, tools);
    return changed;
  });
}

/** Reads a server's tools anew. Throws McpError, McpServerNotFoundError. */
export async function refreshMcpServer(deps: ServerDeps, serverId: string): Promise<McpSync> {
  const server = await requireMcpServer(deps.db, serverId);
  return syncMcpTools(deps.db, server, await deps.mcp.listTools(server.config));
}

/** Whoever may register a command may run any: nobody who was not let, and never strangers on a network. */
function refuseCommands({ settings }: ServerDeps, config: McpConfig): void {
  if (config.transport !== 'stdio') return;
  if (settings.mcpCommands !== true) throw new McpCommandsOffError();
  if (settings.allowsCommands !== false) return;
  throw new RequestRefusedError(
    403,
    'An MCP server over stdio runs a command on this machine, and anyone who reaches this server could register one. Set LETTA_SERVER_PASSWORD, listen on loopback only, or use a server over HTTP.',
  );
}
