import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConversation } from '../../../schema/threads/conversations.js';
import { wireAgent } from '../../../server/agents/agents-wire.js';
import { wireBlock } from '../../../server/blocks/blocks-wire.js';
import { wireRun } from '../../../server/turns/runs-wire.js';
import { beginTurn, endTurn, say, speech } from '../play-turn.js';
import { fernHeaders, stainlessHeaders, startTestServer, type TestServer } from '../test-server.js';

describe('lists over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  /** Runs a turn in which the agent says these texts. The results of these calls are hidden. */
  async function converse(agentId: string, ...said: readonly string[]): Promise<string> {
    const body = { messages: [{ role: 'user', content: 'Hello' }] };
    const run = await server.read(wireRun, 'POST', `/v1/agents/${agentId}/messages/async`, { body });
    await beginTurn(server.db, run.id);
    for (const text of said) {
      await say(server.db, run.id, { body: speech(text) });
      const result = { toolCallId: 'c1', toolName: 'send_message', status: 'success' } as const;
      await say(server.db, run.id, { body: { kind: 'tool', ...result, content: 'Sent.' } });
    }
    await endTurn(server.db, run.id);
    return run.id;
  }

  /** Stores a running turn of a thread and returns its id. */
  async function begin(agentId: string, threadId: string): Promise<string> {
    const id = `run-${randomUUID()}`;
    await server.db
      .insertInto('turns')
      .values({ id, agent_id: agentId, thread_id: threadId, state: 'running', options: '{}' })
      .execute();
    return id;
  }

  async function readAll(url: string, order: 'asc' | 'desc'): Promise<string[]> {
    const contents: string[] = [];
    let after = '';
    for (let pages = 0; pages < 20; pages += 1) {
      const cursor = after === '' ? '' : `&after=${after}`;
      const { body } = await server.call('GET', `${url}limit=1&order=${order}${cursor}`);
      const page = body as { id: string; message_type: string; content?: string }[];
      const last = page.at(-1);
      if (last === undefined) return contents;
      after = last.id;
      contents.push(
        ...page.filter((one) => one.message_type !== 'reasoning_message').map((one) => one.content ?? ''),
      );
    }
    throw new Error('the list does not end');
  }

  it('[wire.hidden-rows] reads on past hidden rows', async () => {
    const agent = await server.anAgent();
    const runId = await converse(agent.id, 'One', 'Two', 'Three');
    const all = ['Hello', 'One', 'Two', 'Three'];

    const [prompt, ...said] = await readAll(`/v1/agents/${agent.id}/messages?`, 'asc');
    expect(prompt).toContain('<memory_metadata>');
    expect(said).toEqual(all);
    for (const order of ['asc', 'desc'] as const) {
      const inOrder = order === 'asc' ? all.slice(1) : all.slice(1).reverse();
      expect(await readAll(`/v1/runs/${runId}/messages?`, order)).toEqual(inOrder);
    }
  });

  it('[wire.message-order] returns an agent’s newest messages, oldest first, and newer ones after a cursor', async () => {
    const agent = await server.anAgent();
    await converse(agent.id, 'One', 'Two', 'Three');
    const url = `/v1/agents/${agent.id}/messages?include_return_message_types=user_message&include_return_message_types=assistant_message`;
    const list = async (query: string, headers = {}) =>
      (await server.call('GET', `${url}${query}`, { headers })).body as { id: string; content: string }[];
    const contents = async (query: string, headers = {}) =>
      (await list(query, headers)).map(({ content }) => content);

    for (const headers of [{}, fernHeaders, stainlessHeaders]) {
      expect(await contents('', headers)).toEqual(['Hello', 'One', 'Two', 'Three']);
      const [hello, one, two] = await list('', headers);
      expect(await contents('&limit=1', headers)).toEqual(['Three']);
      expect(await contents(`&after=${one!.id}`, headers)).toEqual(['Two', 'Three']);
      expect(await contents(`&limit=1&before=${two!.id}`, headers)).toEqual(['One']);
      expect(await contents('&order=asc&limit=1', headers)).toEqual(['Hello']);
      expect(await contents(`&order=asc&after=${hello!.id}`, headers)).toEqual(['One', 'Two', 'Three']);
    }
  });

  it('[wire.message-order] returns a conversation’s messages newest first', async () => {
    const agent = await server.anAgent();
    const { id } = (await server.call('POST', `/v1/conversations?agent_id=${agent.id}`)).body as {
      id: string;
    };
    await converse(agent.id, 'One');
    const types = async (thread: string) =>
      (
        (await server.call('GET', `/v1/conversations/${thread}/messages`)).body as { message_type: string }[]
      ).map((message) => message.message_type);

    expect(await types(id)).toEqual(['system_message']);
    expect(await types(agent.id)).toEqual([
      'system_message',
      'user_message',
      'reasoning_message',
      'assistant_message',
    ]);
  });

  it('[wire.system-message] shows the prompt as a thread’s first message in lists, by id and in context', async () => {
    const agent = await server.anAgent({ memory_blocks: [{ label: 'human', value: 'Ann' }] });
    const { id: thread } = (await server.call('POST', `/v1/conversations?agent_id=${agent.id}`)).body as {
      id: string;
    };
    const conversation = await server.call('GET', `/v1/conversations/${thread}`);
    const [systemId] = agent.message_ids;
    const list = async (query: string) =>
      (await server.call('GET', `/v1/agents/${agent.id}/messages?${query}`)).body as { id: string }[];

    expect(agent.message_ids).toHaveLength(1);
    expect(await server.call('GET', `/v1/messages/${systemId!}`)).toMatchObject({
      body: [
        {
          message_type: 'system_message',
          content: expect.stringMatching(/Ann[^]*- CONVERSATION_ID: default\n/),
        },
      ],
    });
    expect(conversation.body).toMatchObject({
      in_context_message_ids: [expect.not.stringMatching(systemId!)],
    });
    await converse(agent.id, 'One');
    expect((await list('limit=1&order=asc')).map(({ id }) => id)).toEqual([systemId]);
    const [user] = await list(`limit=1&order=asc&after=${systemId!}`);
    expect(user).toMatchObject({ message_type: 'user_message' });
    expect((await list(`before=${user!.id}`)).map(({ id }) => id)).toEqual([systemId]);
    expect(await list(`before=${systemId!}`)).toEqual([]);
  });

  it('[wire.hidden-rows] reads backwards past hidden rows, and finds the only message of a type', async () => {
    const agent = await server.anAgent();
    await converse(agent.id, 'One', 'Two');
    const url = `/v1/agents/${agent.id}/messages?limit=1&order=asc`;
    const { body } = await server.call('GET', `/v1/agents/${agent.id}/messages?limit=1&order=desc`);
    const [newest] = body as { id: string }[];

    const before = await server.call('GET', `${url}&before=${newest!.id}`);
    const greeting = await server.call('GET', `${url}&include_return_message_types=user_message`);
    const afterIt = await server.call(
      'GET',
      `${url}&include_return_message_types=user_message&after=${newest!.id}`,
    );

    expect(before.body).toMatchObject([{}, { message_type: 'assistant_message', content: 'One' }]);
    expect(greeting.body).toMatchObject([{ message_type: 'user_message', content: 'Hello' }]);
    expect(afterIt.body).toEqual([]);
  });

  it('[wire.agent-filters] finds agents by their last stop reason, tags, template and project', async () => {
    const tag = randomUUID();
    const idle = await server.anAgent({ tags: [tag], project_id: 'p1' });
    const done = await server.anAgent({ tags: [tag, 'second'], template_id: 't1', hidden: true });
    await converse(done.id, 'One');
    const find = async (query: string): Promise<string[]> =>
      (await server.read(wireAgent.array(), 'GET', `/v1/agents?tags=${tag}&${query}`)).map(({ id }) => id);

    expect(await find('')).toEqual([idle.id]);
    expect(await find('show_hidden_agents=true&order=asc')).toEqual([idle.id, done.id]);
    expect(await find('show_hidden_agents=true&last_stop_reason=end_turn')).toEqual([done.id]);
    expect(await find('show_hidden_agents=true&last_stop_reason=error')).toEqual([]);
    expect(await find('show_hidden_agents=true&tags=second&match_all_tags=true')).toEqual([done.id]);
    expect(await find('show_hidden_agents=true&template_id=t1')).toEqual([done.id]);
    expect(await find('project_id=p1')).toEqual([idle.id]);
    expect(await server.call('GET', `/v1/agents/${done.id}`)).toMatchObject({
      body: {
        last_stop_reason: 'end_turn',
        last_run_completion: expect.any(String),
        last_run_duration_ms: expect.any(Number),
      },
    });
  });

  it('[wire.agent-filters] reports the run that ended last, not the one that began last', async () => {
    const tag = randomUUID();
    const agent = await server.anAgent({ tags: [tag] });
    const other = await server.anAgent({ tags: [tag] });
    const conversation = await createConversation(server.db, agent.id, {});
    const long = await begin(agent.id, agent.id);
    const short = await begin(agent.id, conversation.id);
    const others = await begin(other.id, other.id);
    await endTurn(server.db, short);
    await endTurn(server.db, others, 'cancelled');
    await endTurn(server.db, long, 'max_steps');
    const find = async (query: string): Promise<string[]> =>
      (await server.read(wireAgent.array(), 'GET', `/v1/agents?tags=${tag}&${query}`)).map(({ id }) => id);
    const { body: run } = await server.call('GET', `/v1/runs/${long}`);

    expect(await find('order_by=last_run_completion')).toEqual([agent.id, other.id]);
    expect(await find('last_stop_reason=max_steps')).toEqual([agent.id]);
    expect(await find('last_stop_reason=end_turn')).toEqual([]);
    expect(await server.call('GET', `/v1/agents/${agent.id}`)).toMatchObject({
      body: {
        last_stop_reason: 'max_steps',
        last_run_completion: (run as { completed_at: string }).completed_at,
      },
    });
  });

  it('[wire.agent-filters] sorts agents by their latest change, page by page', async () => {
    const tag = randomUUID();
    const first = await server.anAgent({ tags: [tag] });
    const second = await server.anAgent({ tags: [tag] });
    await server.call('PATCH', `/v1/agents/${first.id}`, { body: { description: 'changed' } });
    const url = `/v1/agents?tags=${tag}&limit=1&order_by=updated_at`;

    const [newest] = await server.read(wireAgent.array(), 'GET', url);
    const [next] = await server.read(wireAgent.array(), 'GET', `${url}&after=${newest!.id}`);

    expect([newest!.id, next!.id]).toEqual([first.id, second.id]);
    expect(await server.call('GET', `${url}&after=${next!.id}`)).toMatchObject({ body: [] });
  });

  it.each([
    ['agents?created_by_id=user-1', /created_by_id: is not supported: this server has no users/],
    ['agents?order_by=name', /order_by: must be created_at, updated_at or last_run_completion/],
    ['blocks?order_by=label', /order_by: must be created_at/],
  ])('[wire.agent-filters] refuses %s with the reason', async (path, detail) => {
    expect(await server.call('GET', `/v1/${path}`)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(detail) },
    });
  });

  it('[wire.surface] refuses to detach or delete an agent’s own archive', async () => {
    const agent = await server.anAgent();
    const { body } = await server.call('GET', `/v1/archives?agent_id=${agent.id}`);
    const [own] = body as { id: string }[];
    const refusal = { status: 409, body: { detail: expect.stringContaining(`is agent ${agent.id}'s own`) } };

    expect(await server.call('PATCH', `/v1/agents/${agent.id}/archives/detach/${own!.id}`)).toMatchObject(
      refusal,
    );
    expect(await server.call('DELETE', `/v1/archives/${own!.id}`)).toMatchObject(refusal);
    expect(await server.call('GET', `/v1/archives/${own!.id}`)).toMatchObject({ status: 200 });
  });

  it('[wire.block-filters] searches labels and values separately, and counts blocks', async () => {
    const word = randomUUID().slice(0, 8);
    const before = Number((await server.call('GET', '/v1/blocks/count')).body);
    for (const [label, value] of [
      [`${word} a`, 'one'],
      ['other', `has ${word}`],
    ]) {
      await server.read(wireBlock, 'POST', '/v1/blocks', { body: { label, value, tags: [word] } });
    }
    const find = async (query: string): Promise<string[]> =>
      (await server.read(wireBlock.array(), 'GET', `/v1/blocks?${query}`)).map(({ value }) => value);

    expect(await find(`label_search=${word}`)).toEqual(['one']);
    expect(await find(`value_search=${word}`)).toEqual([`has ${word}`]);
    expect(await find(`value_search=${word}&label_search=${word}`)).toEqual([]);
    expect(Number((await server.call('GET', '/v1/blocks/count')).body)).toBe(before + 2);
    expect((await server.call('GET', `/v1/tags?query_text=${word}`)).body).toEqual([word]);
  });

  it('[wire.block-filters] filters blocks by description, project, template, visibility and number of agents', async () => {
    const word = randomUUID().slice(0, 8);
    const made = { project_id: word, tags: [word] };
    const ids = new Map<string, string>();
    for (const [label, more] of [
      ['free', { description: `On ${word}.` }],
      ['mould', { is_template: true }],
      ['secret', { hidden: true }],
      ['shared', {}],
    ] as const) {
      const body = { label, value: '', ...made, ...more };
      ids.set(label, (await server.read(wireBlock, 'POST', '/v1/blocks', { body })).id);
    }
    await server.anAgent({ block_ids: [ids.get('shared'), ids.get('mould')] });
    const other = await server.anAgent({ block_ids: [ids.get('shared')] });
    const gone = await server.anAgent({ block_ids: [ids.get('free')] });
    await server.call('DELETE', `/v1/agents/${gone.id}`);
    const find = async (query: string): Promise<string[]> =>
      (await server.read(wireBlock.array(), 'GET', `/v1/blocks?tags=${word}&${query}`)).map(
        ({ label }) => label,
      );

    expect(await find('')).toEqual(['free', 'mould', 'shared']);
    expect(await find('show_hidden_blocks=true')).toEqual(['free', 'mould', 'secret', 'shared']);
    expect(await find(`description_search=${word}`)).toEqual(['free']);
    expect(await find(`project_id=${word}&templates_only=true`)).toEqual(['mould']);
    expect(await find('project_id=another')).toEqual([]);
    expect(await find('connected_to_agents_count_eq=0&connected_to_agents_count_eq=2')).toEqual([
      'free',
      'shared',
    ]);
    expect(await find('connected_to_agents_count_eq=1')).toEqual(['mould']);
    expect(await find('connected_to_agents_count_gt=0')).toEqual(['mould', 'shared']);
    expect(await find('connected_to_agents_count_lt=2')).toEqual(['free', 'mould']);
    expect(await find('connected_to_agents_count_gt=0&connected_to_agents_count_lt=2&limit=1')).toEqual([
      'mould',
    ]);
    await server.call('PATCH', `/v1/agents/${other.id}/core-memory/blocks/detach/${ids.get('shared')!}`);
    expect(await find('connected_to_agents_count_eq=2')).toEqual([]);
  });

  it('[wire.fields] lists an agent’s messages by conversation and refuses another agent’s conversation', async () => {
    const [agent, other] = [await server.anAgent(), await server.anAgent()];
    await converse(agent.id, 'One');
    const { body } = await server.call('POST', `/v1/conversations?agent_id=${agent.id}`, { body: {} });
    const { id } = body as { id: string };
    const url = `/v1/agents/${agent.id}/messages`;

    expect((await server.call('GET', `${url}?conversation_id=default`)).body).toHaveLength(4);
    expect((await server.call('GET', `${url}?conversation_id=${id}`)).body).toMatchObject([
      { message_type: 'system_message' },
    ]);
    expect(await server.call('GET', `/v1/agents/${other.id}/messages?conversation_id=${id}`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/Conversation with ID .* not found/) },
    });
  });

  it('[wire.fields] filters a run’s messages by role, tools by origin, and models by category', async () => {
    const agent = await server.anAgent();
    const runId = await converse(agent.id, 'One');
    const count = async (url: string): Promise<number> => Number((await server.call('GET', url)).body);
    const lengthOf = async (url: string): Promise<number> =>
      ((await server.call('GET', url)).body as unknown[]).length;
    const own = await count('/v1/tools/count?include_base_tools=false');
    const all = await count('/v1/tools/count?include_base_tools=true');

    expect(await lengthOf(`/v1/runs/${runId}/messages`)).toBe(2);
    expect(await lengthOf(`/v1/runs/${runId}/messages?role=assistant`)).toBe(2);
    expect(await lengthOf(`/v1/runs/${runId}/messages?role=system`)).toBe(0);
    expect(own).toBe(0);
    expect(all).toBe(await lengthOf('/v1/tools?limit=1000&return_only_letta_tools=true'));
    expect(await lengthOf('/v1/models?provider_category=base')).toBe(1);
    expect(await lengthOf('/v1/models?provider_category=byok')).toBe(0);
  });

  it.each([
    ['POST', 'agents', { from_template: 'a:1' }, /from_template: is not supported: there are no templates/],
    ['POST', 'agents', { include_default_source: true }, /include_default_source: is not supported/],
    ['PATCH', `agents/agent-${randomUUID()}`, { message_ids: [] }, /message_ids: can’t be set/],
    [
      'POST',
      `agents/agent-${randomUUID()}/messages`,
      { input: 'x', return_logprobs: true },
      /return_logprobs: log/,
    ],
    [
      'POST',
      'tools',
      { source_code: 'x', npm_requirements: [{ name: 'ms' }] },
      /npm_requirements: is not supported/,
    ],
  ] as const)('[wire.fields] refuses %s %s with %o', async (method, path, body, detail) => {
    expect(await server.call(method, `/v1/${path}`, { body })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(detail) },
    });
  });
});
