import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemMessageId } from '../../../server/threads/system-messages.js';
import { wireAgent } from '../../../server/agents/agents-wire.js';
import { fernHeaders, stainlessHeaders, startTestServer, type TestServer } from '../test-server.js';

const nobody = 'agent-00000000-0000-4000-8000-000000000000';

describe('agents over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  it('[rest.agents] [memory.default-limit] creates an agent with the defaults of a 0.1 client', async () => {
    const body = await server.read(wireAgent, 'POST', '/v1/agents/', {
      headers: fernHeaders,
      body: {
        name: 'Ada',
        memory_blocks: [
          { label: 'human', value: 'Bob' },
          { label: 'notes', value: '', limit: 50, description: 'What to remember' },
        ],
        tags: ['b', 'a'],
        timezone: 'Europe/Berlin',
        project_id: 'mine',
      },
    });

    expect(body).toMatchObject({
      name: 'Ada',
      agent_type: 'memgpt_agent',
      model: 'perdure/demo',
      embedding: 'perdure/use-lite',
      tags: ['a', 'b'],
      timezone: 'Europe/Berlin',
      project_id: 'mine',
      message_ids: [systemMessageId(body.id)],
      llm_config: { handle: 'perdure/demo', context_window: expect.any(Number) },
    });
    expect(body.memory.blocks).toEqual(body.blocks);
    expect(body.blocks).toMatchObject([
      { label: 'human', value: 'Bob', limit: 2000, description: expect.any(String) },
      { label: 'notes', value: '', limit: 50, description: 'What to remember' },
    ]);
    expect(body.tools.map((tool) => tool.name)).toContain('send_message');
    expect(body.tool_rules).toContainEqual({
      tool_name: 'send_message',
      type: 'exit_loop',
      prompt_template: null,
    });
  });

  it('[rules.template] returns the template of a tool rule', async () => {
    const rule = { type: 'max_count_per_step', tool_name: 'send_message', max_count_limit: 2 } as const;
    const { id } = await server.anAgent({
      tool_rules: [{ ...rule, prompt_template: 'At most {{ limit }}.' }],
    });

    const { tool_rules: rules } = await server.read(wireAgent, 'GET', `/v1/agents/${id}`);

    expect(rules.filter(({ prompt_template: template }) => template !== null)).toEqual([
      { ...rule, prompt_template: 'At most {{ limit }}.' },
    ]);
  });

  it('[memory.agent-type] gives 1.x clients their default agent type', async () => {
    const body = await server.read(wireAgent, 'POST', '/v1/agents/', { headers: stainlessHeaders, body: {} });

    expect(body.agent_type).toBe('letta_v1_agent');
    expect(body.name).toMatch(/^[A-Z][a-z]+[A-Z][a-z]+$/);
    expect(body.tools.map((tool) => tool.name)).not.toContain('send_message');
  });

  it('gives an agent without base tools exactly the named ones', async () => {
    const body = await server.anAgent({
      include_base_tools: false,
      tools: ['send_message'],
      include_base_tool_rules: false,
    });

    expect(body.tools.map((tool) => tool.name)).toEqual(['send_message']);
    expect(body.tool_rules).toEqual([]);
  });

  it('[rest.agents] retrieves, changes and deletes an agent', async () => {
    const made = await server.anAgent({ description: 'old' });
    const url = `/v1/agents/${made.id}`;

    const changed = await server.call('PATCH', url, {
      body: { name: 'New', system: 'Be kind.', tags: ['x'], context_window_limit: 9000, description: null },
    });
    expect(changed.body).toMatchObject({
      name: 'New',
      system: 'Be kind.',
      tags: ['x'],
      description: 'old',
      llm_config: { context_window: 9000 },
    });
    expect((await server.call('GET', url)).body).toEqual(changed.body);

    expect(await server.call('DELETE', url)).toMatchObject({ status: 200, body: null });
    expect(await server.call('GET', url)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(`Agent with ID ${made.id} not found`) },
    });
  });

  it('[sleep.deleted] deletes the partner with its agent even if the purge fails', async () => {
    const agent = await server.anAgent({ name: 'pair', enable_sleeptime: true });
    const partners = await server.read(wireAgent.array(), 'GET', '/v1/agents/?name=pair-sleeptime');
    await sql`create function refuse_purge() returns trigger language plpgsql as
      'begin raise exception ''no purge''; end'`.execute(server.db);
    await sql`create trigger refuse_purge before delete on agents
      for each row execute function refuse_purge()`.execute(server.db);

    const { status } = await server.call('DELETE', `/v1/agents/${agent.id}`);
    await sql`drop function refuse_purge cascade`.execute(server.db);

    expect(status).toBe(500);
    expect(partners).toHaveLength(1);
    for (const { id } of [agent, ...partners]) {
      expect(await server.call('GET', `/v1/agents/${id}`)).toMatchObject({ status: 404 });
    }
  });

  it('[rest.paging] lists agents by name and tag, page by page, until an empty page', async () => {
    for (const name of ['one', 'two', 'three']) {
      await server.anAgent({ name, tags: ['paged'] });
    }
    const names: string[] = [];
    let cursor = '';
    for (;;) {
      const body = await server.read(wireAgent.array(), 'GET', `/v1/agents/?tags=paged&limit=2${cursor}`);
      if (body.length === 0) break;
      names.push(...body.map((agent) => agent.name));
      cursor = `&after=${body.at(-1)?.id ?? ''}`;
    }

    expect(names).toEqual(['three', 'two', 'one']);
    expect((await server.call('GET', '/v1/agents?name=two')).body).toHaveLength(1);
    expect((await server.call('GET', '/v1/agents/count')).body).toBeGreaterThanOrEqual(3);
    expect((await server.call('GET', '/v1/tags')).body).toContain('paged');
  });

  it('stores an initial message sequence as the transcript', async () => {
    const agent = await server.anAgent({
      initial_message_sequence: [
        { role: 'user', content: 'I am Bob.' },
        { role: 'assistant', content: 'Hello Bob.' },
      ],
    });
    const { body: messages } = await server.call('GET', `/v1/agents/${agent.id}/messages?order=asc`);

    expect(agent.message_ids).toHaveLength(3);
    expect(messages).toMatchObject([
      { message_type: 'system_message', id: agent.message_ids[0] },
      { message_type: 'user_message', content: 'I am Bob.' },
      { message_type: 'assistant_message', content: 'Hello Bob.' },
    ]);
  });

  it('accepts the model configurations of older clients', async () => {
    const { body } = await server.call('POST', '/v1/agents', {
      body: {
        llm_config: { model: 'demo', model_endpoint_type: 'perdure', context_window: 4096, temperature: 0.5 },
        embedding: 'letta/letta-free',
      },
    });

    expect(body).toMatchObject({
      model: 'perdure/demo',
      embedding: 'perdure/use-lite',
      llm_config: { context_window: 4096, temperature: 0.5 },
    });
  });

  it.each([
    ['an unknown agent', 'GET', `/v1/agents/${nobody}`, undefined, 404, /^Agent with ID .* not found/],
    [
      'a malformed id',
      'GET',
      '/v1/agents/agent-1',
      undefined,
      422,
      /path\.agent_id: must be an id of the form/,
    ],
    ['a wrong type', 'POST', '/v1/agents', { name: 5 }, 422, /body\.name: .*expected string/],
    ['an unknown agent type', 'POST', '/v1/agents', { agent_type: 'x' }, 422, /body\.agent_type/],
    [
      'an unknown provider',
      'POST',
      '/v1/agents',
      { model: 'nope/x' },
      404,
      /NOT_FOUND: .*nope\/x.*handle is provider\/model/,
    ],
    ['a provider without a key', 'POST', '/v1/agents', { model: 'openai/gpt-4o' }, 404, /set OPENAI_API_KEY/],
    ['Letta’s hosted model', 'POST', '/v1/agents', { model: 'letta/letta-free' }, 404, /perdure\/demo/],
    ['an unknown embedding', 'POST', '/v1/agents', { embedding: 'nope/x' }, 404, /NOT_FOUND: .*nope\/x/],
    ['an unknown tool', 'POST', '/v1/agents', { tools: ['nope'] }, 404, /Tool not found: nope/],
    [
      'a block over its limit',
      'POST',
      '/v1/agents',
      { memory_blocks: [{ label: 'a', value: 'abc', limit: 2 }] },
      422,
      /Exceeds 2 character limit \(requested 3\)/,
    ],
    [
      'two blocks with the same label',
      'POST',
      '/v1/agents',
      {
        memory_blocks: [
          { label: 'a', value: '' },
          { label: 'a', value: '' },
        ],
      },
      409,
      /labelled 'a' already/,
    ],
    [
      'an unknown time zone',
      'POST',
      '/v1/agents',
      { timezone: 'Mars' },
      422,
      /body\.timezone: must be an IANA/,
    ],
    ['broken JSON', 'POST', '/v1/agents', '{', 422, /not valid JSON/],
    ['an unknown path', 'GET', '/v1/nothing', undefined, 404, /^Not Found$/],
  ] as const)(
    '[rest.errors] [model.no-credentials] answers %s as Letta does and says what to do',
    async (_what, method, url, body, status, detail) => {
      const answer = await server.call(method, url, {
        body,
        headers: { 'content-type': 'application/json' },
      });

      expect(answer).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } });
      if (status === 409) expect(answer.headers['x-should-retry']).toBe('false');
    },
  );

  it('says what to do when no model is given or configured', async () => {
    const bare = await startTestServer({
      settings: { model: undefined },
      providers: { openai: { apiKey: 'k' } },
    });
    const answer = await bare.call('POST', '/v1/agents', { body: {} });
    await bare.close();

    expect(answer).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/Give `model`.*openai\/….*PERDURE_MODEL/) },
    });
  });

  it('[rest.errors] refuses a body that is too large', async () => {
    const small = await startTestServer({ settings: { bodyLimit: 100 } });
    const answer = await small.call('POST', '/v1/agents', { body: { system: 'x'.repeat(200) } });
    await small.close();

    expect(answer).toMatchObject({ status: 413, body: { detail: expect.stringMatching(/too large/) } });
  });
});
