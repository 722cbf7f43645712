import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { WorldFailure } from '../../../core/failures.js';
import { listMessages } from '../../../schema/threads/messages.js';
import { issueToolToken } from '../../../schema/tools/tokens.js';
import { listTurns } from '../../../schema/turns/turns.js';
import { packageFile } from '../../../stack/processes.js';
import { heldAnswer } from '../../support/models/held-answer.js';
import { besideTheDemo, callOf, createScriptedModels, saying } from '../../support/models/scripted-model.js';
import { compileForRun } from '../../support/run/compiled.js';
import { createRuntimeApp, type RuntimeServer, startRuntimeServer } from '../runtime-app.js';

const scripted = createScriptedModels();
const models = besideTheDemo(scripted);
const password = 'open sesame';
const bearer = { authorization: `Bearer ${password}` };

let server: RuntimeServer;
let client: Client;

beforeAll(async () => {
  server = await startRuntimeServer({ models }, { password });
  client = await connected();
});

afterAll(async () => {
  await client.close();
  await server.close();
});

async function connected(to = server.url): Promise<Client> {
  const fresh = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: bearer };
  await fresh.connect(new StreamableHTTPClientTransport(new URL('/mcp', to), { requestInit }));
  return fresh;
}

/** Calls a tool. Returns its fields, its text, and whether it is an error. */
async function use(name: string, args: Record<string, unknown>) {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return { fields: result.structuredContent ?? {}, text, isError: result.isError ?? false };
}

const anAgent = (input = {}) =>
  server.runtime.anAgent({ blocks: [{ label: 'human', value: 'Name: Ada.' }], ...input });

const saidTo = async (threadId: string) =>
  (await listMessages(server.runtime.db, { threadId, kinds: ['user'] }, {})).map(({ body }) =>
    JSON.stringify(body),
  );

describe('the MCP server', () => {
  it('[mcp-server.talk] lists agents and returns an agent’s answer', async () => {
    const agent = await anAgent({ name: 'Keeper of lighthouses' });
    scripted.script(saying('Good evening.'));

    const { fields } = await use('list_agents', { name: 'lighthouses' });
    const told = await use('talk_to_agent', { agent_id: agent.id, message: 'Good day' });

    expect(fields).toMatchObject({ agents: [{ id: agent.id, name: 'Keeper of lighthouses' }] });
    expect(told).toMatchObject({
      text: 'Good evening.',
      isError: false,
      fields: { status: 'answered', answer: 'Good evening.', run_id: expect.stringMatching(/^run-/) },
    });
  });

  it('[mcp-server.talk-busy] reports that an agent is busy and returns the answer to the same key later', async () => {
    const agent = await anAgent();
    const held = heldAnswer(saying('At last.'));
    scripted.script(held.line, saying('And the second.'));
    const ask = (message: string, key: string, seconds: number) =>
      use('talk_to_agent', {
        ...{ agent_id: agent.id, message },
        ...{ idempotency_key: key, wait_seconds: seconds },
      });

    const first = await ask('First?', 'one', 0);
    await held.begun;
    const working = await ask('First?', 'one', 0);
    const second = await ask('Second?', 'two', 0);
    held.release();
    const answers = [await ask('First?', 'one', 60), await ask('Second?', 'two', 60)];

    expect(first.fields).toMatchObject({ status: expect.stringMatching(/^(waiting|working)$/), answer: '' });
    expect(working.fields).toMatchObject({ status: 'working', run_id: first.fields['run_id'] });
    expect(working.text).toMatch(/still works on it\. Call again .* idempotency_key "one"/);
    expect(second.fields).toMatchObject({ status: 'waiting', idempotency_key: 'two' });
    expect(answers.map(({ text }) => text)).toEqual(['At last.', 'And the second.']);
    expect(answers[0]?.fields['run_id']).toBe(first.fields['run_id']);
    expect(await saidTo(agent.id)).toHaveLength(2);
  });

  it('[mcp-server.talk-busy] creates and returns an idempotency key when the call has none', async () => {
    const agent = await anAgent();
    const held = heldAnswer(saying('Here.'));
    scripted.script(held.line);

    const { fields } = await use('talk_to_agent', { agent_id: agent.id, message: 'Well?', wait_seconds: 0 });
    held.release();
    const told = await use('talk_to_agent', {
      ...{ agent_id: agent.id, message: 'Well?' },
      idempotency_key: fields['idempotency_key'],
    });

    expect(told.text).toBe('Here.');
    expect(await saidTo(agent.id)).toHaveLength(1);
  });

  it('[turn.when-busy-interrupt] interrupts the running turn when a call asks for it', async () => {
    const agent = await anAgent();
    const held = heldAnswer(saying('Never said.'));
    scripted.script(held.line, saying('This instead.'));
    const first = use('talk_to_agent', { agent_id: agent.id, message: 'Begin' });
    await held.begun;

    const instead = { agent_id: agent.id, message: 'Do this', when_busy: 'interrupt' };
    const told = await use('talk_to_agent', instead);
    held.release();

    expect(told).toMatchObject({ text: 'This instead.', fields: { status: 'answered' } });
    expect((await first).fields).toMatchObject({ status: 'cancelled' });
  });

  it('[mcp-server.talk-ends] reports a cancelled turn, a failed one, and one that needs approval', async () => {
    const agent = await anAgent();
    const held = heldAnswer(saying('Too late.'));
    scripted.script(held.line);
    const asking = use('talk_to_agent', { agent_id: agent.id, message: 'Stop me' });
    await held.begun;
    const [turn] = await listTurns(server.runtime.db, { threadId: agent.id }, {});
    await server.runtime.turns.cancel(turn!.id);
    const cancelled = await asking;
    held.release();
    scripted.script(new WorldFailure('Model.BadRequest', 'The model refused this.', { retryable: false }));
    const failed = await use('talk_to_agent', { agent_id: (await anAgent()).id, message: 'Fail' });
    const careful = await anAgent({ toolRules: [{ kind: 'requires_approval', tool: 'core_memory_append' }] });
    scripted.script(callOf('core_memory_append', { label: 'human', content: 'x' }));
    const waiting = await use('talk_to_agent', { agent_id: careful.id, message: 'Note it' });
    const refused = await use('talk_to_agent', { agent_id: careful.id, message: 'And now?' });

    expect(cancelled).toMatchObject({ isError: true, fields: { status: 'cancelled', run_id: turn!.id } });
    expect(failed).toMatchObject({
      ...{ isError: true, fields: { status: 'failed', answer: '' } },
      text: expect.stringContaining('The model refused this.'),
    });
    expect(waiting).toMatchObject({ isError: false, fields: { status: 'needs_approval' } });
    expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/PENDING_APPROVAL|approv/i) });
  });

  it('[mcp-server.memory] lists, reads, appends and replaces blocks with revision checks', async () => {
    const agent = await anAgent();
    const at = { agent_id: agent.id, label: 'human' };

    const listed = await use('list_memory_blocks', { agent_id: agent.id });
    const appended = await use('append_to_memory_block', { ...at, content: 'Tea.', idempotency_key: 'a' });
    const again = await use('append_to_memory_block', { ...at, content: 'Tea.', idempotency_key: 'a' });
    const late = await use('replace_in_memory_block', { ...at, old: 'Tea', new: 'Rum', if_revision: 1 });
    const missing = await use('replace_in_memory_block', { ...at, old: 'Milk', new: 'Rum' });
    const replaced = await use('replace_in_memory_block', { ...at, old: 'Tea', new: 'Rum', if_revision: 2 });
    const read = await use('read_memory_block', at);

    expect(listed.fields).toMatchObject({ blocks: [{ label: 'human', value: 'Name: Ada.', revision: 1 }] });
    expect(appended.fields).toMatchObject({ value: 'Name: Ada.\nTea.', revision: 2 });
    expect(again.fields).toEqual(appended.fields);
    expect(late).toMatchObject({ isError: true, text: expect.stringContaining('revision: 2') });
    expect(late.text).toContain('value: Name: Ada.\nTea.');
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('Milk') });
    expect(replaced.fields).toMatchObject({ value: 'Name: Ada.\nRum.', revision: 3 });
    expect(read.text).toBe('Name: Ada.\nRum.');
  });

  it('[mcp-server.search] searches archival memory and the conversation, and stores a passage once', async () => {
    const agent = await anAgent();
    scripted.script(saying('The ferry leaves at noon.'));
    await server.runtime.tell(agent, 'When does the ferry leave?');
    const passage = { agent_id: agent.id, text: 'The lighthouse is at Wyke.', tags: ['places'] };

    const stored = await use('insert_into_archival_memory', { ...passage, idempotency_key: 'p' });
    const again = await use('insert_into_archival_memory', { ...passage, idempotency_key: 'p' });
    const found = await use('search_archival_memory', { agent_id: agent.id, query: 'lighthouse' });
    const said = await use('search_conversation', { agent_id: agent.id, query: 'ferry' });

    expect(again.fields).toEqual(stored.fields);
    expect(found.fields).toMatchObject({
      results: [{ id: stored.fields['id'], text: passage.text, tags: ['places'] }],
    });
    const { results } = said.fields as { results: readonly { role: string; text: string }[] };
    expect(results.map(({ role, text }) => `${role}: ${text}`).sort()).toEqual([
      'assistant: The ferry leaves at noon.',
      expect.stringContaining('user: When does the ferry leave?'),
    ]);
  });

  it('[mcp-server.wrong-input] rejects an invalid call with the reason', async () => {
    const unknown = 'agent-00000000-0000-4000-8000-000000000000';
    const { id } = await anAgent();

    expect(await use('talk_to_agent', { agent_id: unknown, message: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining(unknown),
    });
    expect(await use('talk_to_agent', { agent_id: 'Ada', message: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('must be an id of the form agent-<uuid>'),
    });
    expect(await use('read_memory_block', { agent_id: id, label: 'nope' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('nope'),
    });
    expect(await use('talk_to_agent', { agent_id: id, message: 'x', wait_seconds: 601 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('wait_seconds'),
    });
  });

  it('[mcp-server.guards] enforces the password and the cross-site guard, keeps no sessions, and refuses running tools', async () => {
    const { id: agentId } = await anAgent();
    const caller = { agentId, turnId: null, stepId: null, toolCallId: null, effectId: null };
    const toolToken = await issueToolToken(server.runtime.db, caller, 600_000);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const open = createRuntimeApp(server.runtime);
    const post = async (headers: Record<string, string>, to = server.app) => {
      const accept = 'application/json, text/event-stream';
      return (await to.inject({ method: 'POST', url: '/mcp', headers: { accept, ...headers }, body }))
        .statusCode;
    };

    expect(await post({})).toBe(401);
    expect(await post(bearer)).toBe(200);
    expect(await post({ 'x-perdure-tool-token': toolToken })).toBe(403);
    expect(await post({}, open)).toBe(200);
    expect(await post({ origin: 'https://elsewhere.example' }, open)).toBe(403);
    expect(await post({ host: 'rebound.example' }, open)).toBe(403);
    for (const method of ['GET', 'DELETE'] as const) {
      const answer = await server.app.inject({ method, url: '/mcp', headers: bearer });
      expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'POST']);
    }
    await open.close();
  });

  it('[mcp-server.leaving] ends a waiting call when the server stops while the turn continues', async () => {
    const agent = await anAgent();
    const held = heldAnswer(saying('Said to nobody.'));
    scripted.script(held.line);
    const other = createRuntimeApp(server.runtime, { password });
    const leaving = await connected(await other.listen({ host: '127.0.0.1', port: 0 }));
    const args = { agent_id: agent.id, message: 'Are you there?', idempotency_key: 'left' };
    const asking = leaving
      .callTool({ name: 'talk_to_agent', arguments: args })
      .catch((error: unknown) => error);
    await held.begun;

    await other.close();
    held.release();
    await leaving.close();
    const told = await use('talk_to_agent', args);

    expect(await asking).toBeInstanceOf(Error);
    expect(told.text).toBe('Said to nobody.');
    expect(await saidTo(agent.id)).toHaveLength(1);
  });

  it('[mcp-server.agent-as-memory] serves one agent as the memory of another', async () => {
    const memory = await anAgent({ name: 'memory' });
    const registered = await server.app.inject({
      ...{ method: 'POST', url: '/v1/mcp-servers', headers: bearer },
      body: {
        server_name: 'memory',
        config: { mcp_server_type: 'streamable_http', server_url: `${server.url}/mcp`, auth_token: password },
      },
    });
    const asker = await anAgent({
      ...{ name: 'asker' },
      toolNames: ['send_message', 'append_to_memory_block', 'read_memory_block'],
    });
    const at = { agent_id: memory.id, label: 'human' };
    scripted.script(
      callOf('append_to_memory_block', {
        ...{ ...at, content: 'Keeps bees.', idempotency_key: 'bees' },
        request_heartbeat: true,
      }),
      callOf('read_memory_block', { ...at, request_heartbeat: true }),
      saying('I wrote it down.'),
    );
    const asked = scripted.requests.length;

    const turn = await server.runtime.tell(asker, 'Remember that Ada keeps bees.');

    expect(registered.statusCode).toBe(200);
    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    const read = await use('read_memory_block', at);
    expect(read.text).toBe('Name: Ada.\nKeeps bees.');
    expect(JSON.stringify(scripted.requests[asked + 2]?.messages)).toContain('Name: Ada.\\\\nKeeps bees.');
  });

  it('[mcp-server.example] works in the shipped example', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [await compileForRun('examples/memory-over-mcp.ts')],
      {
        cwd: packageFile('.'),
        env: {
          ...process.env,
          ...{ PERDURE_URL: server.url, LETTA_SERVER_PASSWORD: password, PERDURE_MODEL: 'perdure/demo' },
          NODE_OPTIONS: '',
        },
        timeout: 170_000,
      },
    );

    expect(stdout).toMatch(/^tools: list_agents, talk_to_agent, list_memory_blocks/);
    expect(stdout).toContain('block: Name: Ada.\n');
    expect(stdout).toMatch(/found: .*Ada keeps the lighthouse at Wyke\./);
    expect(stdout).toContain('agent: Your name is Ada.');
  });
});
