import type { McpConfig } from '../../core/tools/mcp.js';
import { McpCommandsOffError, type McpServers } from './mcp-server.js';

/** Options and time limits, in ms. */
export interface McpOptions {
  /** Whether servers over stdio, which are commands, may be started. Default false. */
  readonly runsCommands?: boolean;
  /** For starting, the handshake and listing tools. Default 15,000. */
  readonly connectMs?: number | undefined;
  /** For one call of a tool. Default 60,000. */
  readonly callMs?: number | undefined;
  /** For a server over stdio to exit, before it is ended. Default 2,000. */
  readonly graceMs?: number | undefined;
}

/** MCP servers by the protocol's own library. */
export function openMcpServers({
  runsCommands = false,
  connectMs = 15_000,
  callMs = 60_000,
  graceMs = 2_000,
}: McpOptions = {}): McpServers {
  const refuseCommands = (config: McpConfig): void => {
    if (config.transport === 'stdio' && !runsCommands) throw new McpCommandsOffError();
  };
  // Many workers never need the library, which would make each start longer.
  const load = () => import('./mcp-client.js');
  return {
    async listTools(config, { signal } = {}) {
      refuseCommands(config);
      const { listTools } = await load();
      return listTools(config, { connectMs, graceMs, signal });
    },
    async callTool(config, call, { signal } = {}) {
      refuseCommands(config);
      const { callTool } = await load();
      return callTool(config, call, { connectMs, callMs, graceMs, signal });
    },
  };
}
