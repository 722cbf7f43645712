import { randomUUID } from 'node:crypto';
import { LettaClient } from 'letta-client-0';
import { problemOf, runAreas } from './areas.js';

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
  const renamed = `${serverName}-renamed`;
  const changed = await client.tools.updateMcpServer(serverName, { serverName: renamed });
  const again = (await client.tools.listMcpServers())[renamed];
  const refused = [
    (await problemOf(client.tools.updateMcpServer(renamed, { serverUrl: 'http://localhost:1/sse' }))).status,
    (await problemOf(client.tools.updateMcpServer(serverName, { serverName: 'other' }))).status,
  ];
  const left = await client.tools.deleteMcpServer(renamed);
  return {
    added: added.some((server) => server.serverName === serverName),
    offered: offered.some((one) => one.name === 'echo'),
    tool: [tool.toolType, tool.name?.endsWith('echo')],
    listed: listed !== undefined && 'command' in listed ? [listed.command, listed.env] : [],
    changed: [changed.serverName === renamed, again !== undefined && 'command' in again ? again.command : ''],
    refused,
    left: left.some((server) => server.serverName === renamed),
  };
}

await runAreas({ mcp_servers: runMcpServers });
