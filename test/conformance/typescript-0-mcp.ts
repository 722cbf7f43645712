import { randomUUID } from 'node:crypto';
import { LettaClient } from 'letta-client-0';
import { runAreas } from './areas.js';

/** `@letta-ai/letta-client` 0.1.132 on MCP servers: run with a base URL; see areas.ts. */
const client = new LettaClient({ baseUrl: process.argv[2] ?? '', token: 'none' });

const args = ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'];

async function runMcpServers() {
  const serverName = `s${randomUUID().slice(0, 8)}`;
  const config = { serverName, command: 'node', args, env: { MOOD: 'calm' } };
  const added = await client.tools.addMcpServer(config);
  const offered = await client.tools.listMcpToolsByServer(serverName);
  const tool = await client.tools.addMcpTool(serverName, 'echo');
  const listed = (await client.tools.listMcpServers())[serverName];
  const left = await client.tools.deleteMcpServer(serverName);
  return {
    added: added.some((server) => server.serverName === serverName),
    offered: offered.some((one) => one.name === 'echo'),
    tool: [tool.toolType, tool.name?.endsWith('echo')],
    listed: listed !== undefined && 'command' in listed ? [listed.command, listed.env] : [],
    left: left.some((server) => server.serverName === serverName),
  };
}

await runAreas({ mcp_servers: runMcpServers });
