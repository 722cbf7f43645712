import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import type { App } from '../../server/deps.js';
import { createRuntimeApp } from '../server/runtime-app.js';
import { type Ended, runCli } from '../support/cli/fake-terminal.js';
import { createLettaDatabase, type LettaDatabase } from '../support/cli/letta-database.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels } from '../support/models/scripted-model.js';

const config = { llm_config: { handle: 'letta/letta-free', context_window: 32_000 } };
const text = (words: string) => [{ type: 'text', text: words }];
const call = (id: string, name: string, args: object) => ({
  ...{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } },
});
const source = 'def add(a: int, b: int) -> int:\n    """Adds two numbers.\n    """\n    return a + b\n';
const schema = {
  name: 'add',
  description: 'Adds two numbers.',
  parameters: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
};

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly metadata: Record<string, unknown>;
  readonly tags: readonly string[];
  readonly tools: readonly { readonly name: string }[];
  readonly secrets: readonly { readonly key: string; readonly value: string }[];
}

describe('import-letta from a database', () => {
  let runtime: TestRuntime;
  let app: App;
  let url: string;
  let letta: LettaDatabase;

  beforeAll(async () => {
    runtime = await startRuntime({ models: createScriptedModels() });
    app = createRuntimeApp(runtime);
    url = await app.listen({ host: '127.0.0.1', port: 0 });
    letta = await createLettaDatabase();
  });

  afterAll(async () => {
    await app.close();
    await runtime.close();
    await letta.drop();
  });

  const perdure = (...args: readonly string[]): Promise<Ended> => runCli(args, { PERDURE_URL: url });
  const models = ['--model', 'perdure/demo', '--embedding', 'perdure/use-lite'];
  const take = (...more: readonly string[]): Promise<Ended> =>
    perdure('import-letta', '--database', letta.url, ...models, ...more);
  const get = async <T>(path: string): Promise<T> => (await (await fetch(`${url}${path}`)).json()) as T;
  const find = async (name: string): Promise<Shown> => {
    const [agent] = await get<Shown[]>(`/v1/agents?name=${name}`);
    if (agent === undefined) throw new Error(`there is no ${name}`);
    return agent;
  };

  it('[cli.import-database] imports agents with everything that belongs to them, in order and with their times', async () => {
    await fill(letta);

    const { code, output, told } = await take();
    const [ada, bob] = [await find('ada'), await find('bob')];

    expect(code).toBe(0);
    expect(told).toBe('1 of 2: ada and 1 more …\n2 of 2: agent-c …\n');
    expect(output).toMatch(/\nada +imported +agent-\S+ +2 +8 +2 +1\nbob +imported +agent-\S+ +1 +0 +2 +0\n/);
    expect(output).toContain('left out: tool hollow: its row has no source code');
    expect(output).toContain('left out: 1 images: their rows name a file and have no data');
    expect(output).toContain('left out: 1 links to identities: ');
    expect(ada).toMatchObject({
      metadata: { letta_agent_id: 'agent-a', team: 'one' },
      tags: ['x', 'y'],
      tools: [{ name: 'add', source_type: 'python' }],
    });
    expect(output).toContain('These variables have no value yet: KEY.');
    expect(ada.secrets.map(({ key, value }) => [key, value])).toEqual([
      ['KEY', ''],
      ['CITY', '********'],
      ['EARLY', '********'],
    ]);
    const [shared] = await listAgentBlocks(runtime.db, bob.id);
    const blocks = await listAgentBlocks(runtime.db, ada.id);
    expect(blocks.map(({ label, value, limit }) => [label, value, limit])).toEqual([
      ['human', 'Likes tea.', 500],
      ['team', 'We sail.', 20_000],
    ]);
    expect(blocks[1]?.id).toBe(shared?.id);
    const [prompt, ...messages] = await get<Record<string, unknown>[]>(
      `/v1/agents/${ada.id}/messages?order=asc&limit=100&use_assistant_message=false`,
    );
    expect(prompt).toMatchObject({ message_type: 'system_message' });
    expect(messages.map((one) => [one['message_type'], one['date']])).toEqual([
      ['user_message', '2026-03-01T10:00:00.250Z'],
      ['reasoning_message', '2026-03-01T10:00:01.000Z'],
      ['tool_call_message', '2026-03-01T10:00:01.000Z'],
      ['tool_return_message', '2026-03-01T10:00:02.000Z'],
      ['user_message', '2026-03-01T09:00:00.000Z'],
      ['user_message', '2026-03-01T10:00:04.000Z'],
    ]);
    const context = await get<{ num_messages: number }>(`/v1/agents/${ada.id}/context`);
    // Counted from the first message that Letta had in context.
    expect(context.num_messages).toBe(4);
    expect(messages[0]).toMatchObject({ content: 'What is 1 + 2?' });
    expect(messages[1]).toMatchObject({ reasoning: 'I add them.' });
    expect(messages[2]).toMatchObject({ tool_call: { name: 'add', arguments: '{"a":1,"b":2}' } });
    expect(messages[3]).toMatchObject({ tool_return: '3', status: 'success', stdout: ['adding'] });
    expect(messages[5]?.['content']).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } },
    ]);
  });

  it('[cli.import-database] imports conversations, and passages that can be searched by meaning at once', async () => {
    const [ada, bob] = [await find('ada'), await find('bob')];

    const passages = await get<{ text: string; tags: string[]; created_at: string }[]>(
      `/v1/agents/${ada.id}/archival-memory?ascending=true`,
    );
    const found = await get<{ results: { content: string }[] }>(
      `/v1/agents/${bob.id}/archival-memory/search?query=vessel%20on%20the%20sea&top_k=1`,
    );
    const conversations = await get<{ id: string; summary: string }[]>(
      `/v1/conversations?agent_id=${ada.id}`,
    );
    const [conversation] = conversations;
    const said = await get<{ content: string }[]>(`/v1/conversations/${conversation?.id ?? ''}/messages`);
    const rows = await runtime.db
      .selectFrom('passages')
      .select(['embedding_model', 'words'])
      .where('words', 'in', ['The boat is called Freya.', 'Tea is at five.'])
      .execute();

    expect(passages.map(({ text: words, tags }) => [words, tags])).toEqual([
      ['The boat is called Freya.', ['boat', 'name']],
      ['Tea is at five.', []],
    ]);
    expect(passages[0]?.created_at).toMatch(/^2026-02-01T08:00:00\.123/);
    expect(rows.map((row) => row.embedding_model)).toEqual(['perdure/use-lite', 'perdure/use-lite']);
    expect(found.results[0]?.content).toBe('The boat is called Freya.');
    expect(conversations.map(({ summary }) => summary)).toEqual(['About knots']);
    expect(said.map(({ content }) => content)).toEqual([
      'How is a bowline tied?',
      expect.stringMatching(/^Be kind\./),
    ]);
  });

  it('[cli.import-database] imports only new and deleted agents when it is repeated', async () => {
    const again = await take('--json');
    const { id } = await find('agent-c');
    await letta.insert('agents', { id: 'agent-n', name: 'new', ...config, created_at: '2026-05-01Z' });
    await letta.insert('blocks_agents', { agent_id: 'agent-n', block_id: 'block-2', block_label: 'team' });
    await perdure('agents', 'delete', 'agent-c', '--yes');

    const third = await take();

    const { agents } = JSON.parse(again.output) as { agents: { name: string; state: string }[] };
    expect(agents.map(({ state }) => state)).toEqual(['was here', 'was here', 'was here']);
    expect(third.output).toMatch(/\nada +was here +agent-\S+[\s\S]*\nnew +imported +agent-/);
    expect(third.output).toContain(
      'new: what it shares with ada and 1 more, which was imported earlier, was copied.',
    );
    expect((await find('agent-c')).id).not.toBe(id);
    expect(await get<unknown[]>('/v1/agents?name=ada')).toHaveLength(1);
  });

  it('[cli.import-database] keeps the other agents when one is refused, and says why', async () => {
    await letta.insert('agents', {
      ...{ id: 'agent-w', name: 'wrong', agent_type: 'unheard_of', ...config },
    });

    const { code, output, told } = await take();

    expect(code).toBe(1);
    expect(output).toMatch(/\nwrong +refused/);
    expect(output).toMatch(/\nwrong: The server answered 422: .*agents\.0\.agent_type/);
    expect(told).toContain('1 of 5 agents were not imported.');
  });

  it('[cli.import-database] says what is wrong with an address or a database', async () => {
    const from = (database: string): Promise<Ended> => perdure('import-letta', '--database', database);
    const other = (path: string): string => Object.assign(new URL(letta.url), { pathname: path }).href;
    const stranger = Object.assign(new URL(letta.url), { username: 'stranger', password: 'secret' }).href;

    const results = [
      await from(runtime.databaseUrl),
      await from(other('/nowhere')),
      await from('postgres://letta:secret@127.0.0.1:9/letta'),
      await from('mysql://localhost/letta'),
      await from(stranger),
      await perdure('import-letta'),
    ];

    expect(results.map(({ code }) => code)).toEqual([2, 2, 3, 2, 4, 2]);
    expect(results[0]?.told).toMatch(
      /is not a database of Letta 0\.16\. It lacks: table agents_tags, .* and \d+ more\./,
    );
    expect(results[1]?.told).toContain('There is no database at ');
    expect(results[2]?.told).toContain('No database answers at 127.0.0.1:9/letta');
    expect(results.map(({ told }) => told).join('')).not.toContain('secret');
  });
});

/** Two agents that share a block and an archive, one that shares nothing, and other rows of a real database. */
async function fill({ insert, run }: LettaDatabase): Promise<void> {
  const handles = { ...config, embedding_config: { handle: 'letta/letta-free' } };
  await insert(
    'agents',
    {
      ...{ id: 'agent-a', name: 'ada', system: 'Be kind.', metadata_: { team: 'one' }, ...handles },
      ...{ message_ids: ['message-0', 'message-2', 'message-3', 'message-5'], created_at: '2026-01-01Z' },
      tool_rules: [{ type: 'exit_loop', tool_name: 'send_message', prompt_template: null }],
    },
    { id: 'agent-b', name: 'bob', ...handles, created_at: '2026-01-02Z', message_ids: null },
    { id: 'agent-c', name: null, agent_type: null, ...config, created_at: '2026-01-03Z' },
    { id: 'agent-d', name: 'dead', ...handles, is_deleted: true },
  );
  await insert('agents_tags', { agent_id: 'agent-a', tag: 'y' }, { agent_id: 'agent-a', tag: 'x' });
  await insert(
    'block',
    { id: 'block-1', label: 'human', value: 'Likes tea.', limit: 500, created_at: '2026-01-01Z' },
    { id: 'block-2', label: 'team', value: 'We sail.', created_at: '2026-01-02Z' },
    { id: 'block-3', label: 'gone', value: 'Old.', is_deleted: true },
  );
  const attach = (agent: string, block: string, label: string) =>
    insert('blocks_agents', { agent_id: agent, block_id: block, block_label: label });
  await attach('agent-a', 'block-1', 'human');
  await attach('agent-a', 'block-2', 'team');
  await attach('agent-a', 'block-3', 'gone');
  await attach('agent-b', 'block-2', 'team');
  await insert(
    'tools',
    {
      ...{ id: 'tool-1', name: 'add', source_code: source, json_schema: schema, description: 'Adds.' },
      // What Letta stores for a Python tool whose client named no type.
      source_type: 'json',
    },
    { id: 'tool-2', name: 'hollow', source_code: null, json_schema: null, tool_type: 'custom' },
    { id: 'tool-3', name: 'gone', source_code: source, is_deleted: true },
  );
  // As Letta stores them: in plain text when it has no key.
  const sealed = Buffer.alloc(61, 7).toString('base64');
  await insert(
    'agent_environment_variables',
    { id: 'env-1', key: 'CITY', agent_id: 'agent-a', value_enc: 'Bergen' },
    { id: 'env-2', key: 'KEY', agent_id: 'agent-a', value_enc: sealed },
    { id: 'env-3', key: 'EARLY', agent_id: 'agent-a', value: 'Oslo' },
  );
  for (const tool_id of ['tool-1', 'tool-2', 'tool-3'])
    await insert('tools_agents', { agent_id: 'agent-a', tool_id });
  await insert('conversations', { id: 'conv-1', agent_id: 'agent-a', summary: 'About knots' });
  await insertMessages({ insert });
  await insert('archives', { id: 'archive-1', name: 'ours' });
  await insert(
    'archives_agents',
    { agent_id: 'agent-a', archive_id: 'archive-1' },
    { agent_id: 'agent-b', archive_id: 'archive-1', is_owner: false },
  );
  const passage = { archive_id: 'archive-1', embedding_config: { handle: 'letta/letta-free' } };
  await insert(
    'archival_passages',
    {
      ...{ ...passage, id: 'passage-1', text: 'The boat is called Freya.', tags: ['boat', 'name'] },
      created_at: '2026-02-01T08:00:00.123456Z',
    },
    { ...passage, id: 'passage-2', text: 'Tea is at five.', tags: null, created_at: '2026-02-02Z' },
    { ...passage, id: 'passage-3', text: 'A secret that was deleted.', is_deleted: true },
  );
  await run("insert into identities_agents values ('identity-1', 'agent-a')");
}

/** Inserted in the order of their sequence, which differs from the order of their times. */
async function insertMessages({ insert }: Pick<LettaDatabase, 'insert'>): Promise<void> {
  const of = { agent_id: 'agent-a' };
  const image = { type: 'letta', file_id: 'file-1', media_type: 'image/png', data: 'aGVsbG8=', detail: null };
  const thought = { type: 'summarized_reasoning', id: 'rs_1', summary: [{ index: 0, text: 'I add them.' }] };
  await insert(
    'messages',
    {
      ...of,
      id: 'message-0',
      role: 'system',
      content: text('Be kind.\n<memory_blocks>'),
      created_at: '2026-03-01Z',
    },
    {
      ...{ ...of, id: 'message-1', role: 'user', content: text('What is 1 + 2?') },
      created_at: '2026-03-01T10:00:00.25Z',
    },
    {
      ...{
        ...of,
        id: 'message-2',
        role: 'assistant',
        content: [thought],
        created_at: '2026-03-01T10:00:01Z',
      },
      tool_calls: [call('call-1', 'add', { a: 1, b: 2 }), { id: 'call-2', type: 'function', function: null }],
    },
    {
      ...{ ...of, id: 'message-3', role: 'tool', name: 'add', tool_call_id: 'call-1' },
      ...{
        content: text('{"status": "OK", "message": "3", "time": "now"}'),
        created_at: '2026-03-01T10:00:02Z',
      },
      tool_returns: [
        { tool_call_id: 'call-1', status: 'success', stdout: ['adding'], stderr: null, func_response: null },
      ],
    },
    { ...of, id: 'message-4', role: 'user', content: text('A deleted one.'), is_deleted: true },
    {
      ...{ ...of, id: 'message-5', role: 'user', content: null, text: 'An early row.' },
      ...{ created_at: '2026-03-01T09:00:00Z', tool_returns: null },
    },
    {
      ...{ ...of, id: 'message-6', role: 'user', created_at: '2026-03-01T10:00:04Z' },
      content: [
        ...text('Look.'),
        { type: 'image', source: image },
        { type: 'image', source: { ...image, data: null } },
      ],
    },
    { ...of, id: 'message-7', role: 'system', conversation_id: 'conv-1', content: text('Be kind.') },
    {
      ...of,
      id: 'message-8',
      role: 'user',
      conversation_id: 'conv-1',
      content: text('How is a bowline tied?'),
    },
  );
  const link = { conversation_id: 'conv-1', agent_id: 'agent-a' };
  await insert('conversation_messages', { ...link, id: 'conv_msg-1', message_id: 'message-8', position: 1 });
}
