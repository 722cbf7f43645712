/**
 * Uses an agent as memory over MCP, as any MCP client can: writes into its core memory, keeps a text in its archive, searches,
 * and asks the agent.
 *
 *   npx tsx examples/memory-over-mcp.ts
 *
 * Needs a running stack: npm start in another terminal. PERDURE_URL names another address than http://localhost:8283,
 * LETTA_SERVER_PASSWORD its password.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const server = process.env['PERDURE_URL'] ?? 'http://localhost:8283';
const headers = { authorization: `Bearer ${process.env['LETTA_SERVER_PASSWORD'] ?? 'none'}` };

const agentId = await makeAgent();
const client = new Client({ name: 'memory example', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL('/mcp', server), { requestInit: { headers } }),
);
try {
  say(`tools: ${(await client.listTools()).tools.map(({ name }) => name).join(', ')}`);

  // A key makes a call harmless when it is repeated, for instance after a lost connection.
  const note = { agent_id: agentId, label: 'human', content: 'Name: Ada.', idempotency_key: 'ada-1' };
  await call('append_to_memory_block', note);
  await call('append_to_memory_block', note);
  say(`block: ${await call('read_memory_block', { agent_id: agentId, label: 'human' })}`);

  await call('insert_into_archival_memory', { agent_id: agentId, text: 'Ada keeps the lighthouse at Wyke.' });
  say(`found: ${await call('search_archival_memory', { agent_id: agentId, query: 'lighthouse', limit: 1 })}`);

  say(`agent: ${await call('talk_to_agent', { agent_id: agentId, message: 'What is my name?' })}`);
} finally {
  await client.close();
}

/** The text of a tool's result, as a model reads it. */
async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = (content as readonly { text?: string }[]).map((part) => part.text ?? '').join('\n');
  if (isError === true) throw new Error(text);
  return text;
}

async function makeAgent(): Promise<string> {
  const answer = await fetch(new URL('/v1/agents/', server), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name: 'memory example', model: process.env['PERDURE_MODEL'] ?? 'perdure/demo' },
      memory_blocks: [{ label: 'human', value: '' }],
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { id: string }).id;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
