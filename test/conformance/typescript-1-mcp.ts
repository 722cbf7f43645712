import { randomUUID } from 'node:crypto';
import { Letta } from 'letta-client-1';
import { blocks, collect, models, problemOf, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 1.12.1 on MCP servers: run with a base URL; see areas.ts. */
const client = new Letta({ baseURL: process.argv[2] ?? '', apiKey: 'none' });

const everything = {
  mcp_server_type: 'stdio' as const,
  command: 'node',
  args: ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'],
};

async function statusOf(call: Promise<unknown>): Promise<number> {
  return (await problemOf(call)).status;
}

async function runMcpServers() {
  const name = `s${randomUUID().slice(0, 8)}`;
  const made = await client.mcpServers.create({ server_name: name, config: everything });
  const id = made.id ?? '';
  const listed = await client.mcpServers.list();
  const tools = await client.mcpServers.tools.list(id);
  const echo = tools.find((tool) => tool.name?.endsWith('echo'))?.id ?? '';
  const at = { mcp_server_id: id };
  const retrieved = await client.mcpServers.tools.retrieve(echo, at);
  const run = await client.mcpServers.tools.run(echo, { ...at, args: { message: 'Ahoy' } });
  const wrong = await client.mcpServers.tools.run(echo, { ...at, args: { message: 5 } });
  const change = { server_name: `${name}_renamed`, config: everything };
  const renamed = await client.mcpServers.update(id, change);
  const refreshed = await client.mcpServers.refresh(id);
  const agent = await client.agents.create({ ...models, memory_blocks: blocks, tool_ids: [echo] });
  const response = await client.agents.messages.create(agent.id, {
    messages: [{ role: 'user', content: 'Good morning, echo' }],
  });
  const returned = response.messages.flatMap((one) =>
    'tool_returns' in one ? (one.tool_returns ?? []) : [],
  )[0];
  const broken = { command: '/nowhere/mcp', args: [] };
  const { parameters } = (retrieved.json_schema ?? {}) as { parameters?: { required?: string[] } };
  const facts = {
    made: [made.mcp_server_type, 'command' in made ? made.command : '', made.server_name === name],
    listed: listed.some((server) => server.id === id),
    tool: [retrieved.tool_type, parameters?.required],
    run: [run.status, String(run.func_return).includes('Ahoy')],
    wrong: wrong.status,
    renamed: (await client.mcpServers.retrieve(id)).server_name === renamed.server_name,
    refreshed,
    returned: [returned?.status, JSON.stringify(returned?.tool_return).includes('Ahoy')],
    broken: await statusOf(client.mcpServers.create({ server_name: 'broken ts', config: broken })),
    taken: await statusOf(client.mcpServers.create(change)),
  };
  await client.mcpServers.delete(id);
  const left = await collect(client.agents.tools.list(agent.id));
  return {
    ...facts,
    deleted: await statusOf(client.mcpServers.retrieve(id)),
    detached: left.some((tool) => tool.id === echo),
  };
}

await runAreas({ mcp_servers: runMcpServers });
