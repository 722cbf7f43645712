import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { z } from 'zod';
import type { MessageBody } from '../../../core/threads/messages.js';
import { attachArchive, createArchive } from '../../../schema/archives/archives.js';
import { createConversation } from '../../../schema/threads/conversations.js';
import { inTransaction } from '../../../schema/db/database.js';
import { addFile } from '../../../schema/files/files.js';
import { insertIntoArchive, insertPassages } from '../../../schema/archives/passages.js';
import { listPins, pinPassage } from '../../../schema/archives/pins.js';
import { lockThread } from '../../../schema/threads/threads.js';
import { appendToTranscript } from '../../../schema/threads/transcript.js';
import { systemMessageId } from '../../../server/threads/system-messages.js';
import { wireAgent, type WireAgent } from '../../../server/agents/agents-wire.js';
import { freeObject } from '../../../server/http/fields-wire.js';
import { wireSource } from '../../../server/files/sources-wire.js';
import { packageFile } from '../../../stack/processes.js';
import { aMessage } from '../../schema/fixtures.js';
import {
  type Answer,
  fernHeaders,
  stainlessHeaders,
  startTestServer,
  type TestServer,
} from '../test-server.js';
import { mask } from '../../../core/vault.js';
import { agentVariables } from '../../../schema/agents/variables.js';
import { testVault } from '../../support/runtime/vault.js';
import { requireAgent } from '../../../schema/agents/agents.js';

const vector = [0.6, 0.8, -0.25];
const textMessage = (text: string): MessageBody => ({ kind: 'user', content: [{ type: 'text', text }] });
const imported = z.looseObject({
  agent_ids: z.array(z.string()),
  notes: z.array(z.string()),
  name: z.string(),
});

describe('agent files', () => {
  let server: TestServer;
  let other: TestServer;

  beforeAll(async () => {
    const settings = { model: 'perdure/demo', fileLimitMb: 1 };
    [server, other] = await Promise.all([startTestServer({ settings }), startTestServer({ settings })]);
  });

  afterAll(async () => {
    await Promise.all([server.close(), other.close()]);
  });

  function exported(of: TestServer, agentId: string, query = ''): Promise<Record<string, unknown>> {
    return of.read(freeObject, 'GET', `/v1/agents/${agentId}/export${query}`);
  }

  async function send(
    to: TestServer,
    file: unknown,
    options: { fields?: Record<string, string>; query?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const form = new FormData();
    form.set('file', new Blob([typeof file === 'string' ? file : JSON.stringify(file)]), 'agent.af');
    for (const [name, value] of Object.entries(options.fields ?? {})) form.set(name, value);
    const request = new Response(form);
    const response = await to.app.inject({
      method: 'POST',
      url: `/v1/agents/import${options.query ?? ''}`,
      headers: {
        ...(options.headers ?? stainlessHeaders),
        'content-type': request.headers.get('content-type') ?? '',
      },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    return { status: response.statusCode, body: JSON.parse(response.body), headers: response.headers };
  }

  async function take(...args: Parameters<typeof send>): Promise<z.infer<typeof imported>> {
    const { status, body } = await send(...args);
    expect({ status, body }).toMatchObject({ status: 200 });
    return imported.parse(body);
  }

  function agentOf(of: TestServer, agentId: string): Promise<WireAgent> {
    return of.read(wireAgent, 'GET', `/v1/agents/${agentId}`);
  }

  async function append(of: TestServer, threadId: string, agentId: string, bodies: readonly MessageBody[]) {
    await inTransaction(of.db, async (tx) => {
      const thread = await lockThread(tx, threadId);
      if (thread === undefined) throw new Error('no thread');
      const messages = bodies.map((body, index) =>
        aMessage({ agentId, threadId, body, createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)) }),
      );
      await appendToTranscript(tx, thread, messages);
    });
  }

  /** Creates an agent that has a bit of everything. */
  async function anAgentWithEverything(): Promise<WireAgent> {
    const source = await server.read(wireSource, 'POST', '/v1/sources/', {
      body: { name: `s ${randomUUID()}` },
    });
    const code =
      'def add(a: int, b: int):\n    """Add.\n\n    Args:\n        a: One.\n        b: Other.\n    """\n    return a + b\n';
    const { body: tool } = await server.call('PUT', '/v1/tools/', {
      body: { source_code: code, tags: ['sums'] },
    });
    const agent = await server.anAgent({
      name: 'Ada',
      agent_type: 'memgpt_agent',
      description: 'Remembers.',
      tags: ['b', 'a'],
      timezone: 'Europe/Berlin',
      metadata: { team: 'x' },
      context_window_limit: 20_000,
      max_tokens: 512,
      enable_sleeptime: true,
      memory_blocks: [
        { label: 'human', value: 'Bob.', limit: 300, description: 'Whom I know', metadata: { from: 'form' } },
        { label: 'rules', value: 'Be kind.', read_only: true },
      ],
      tool_ids: [(tool as { id: string }).id],
      tool_rules: [{ type: 'max_count_per_step', tool_name: 'add', max_count_limit: 2 }],
      source_ids: [source.id],
      secrets: { API_KEY: 'very-secret' },
      tool_exec_environment_variables: { REGION: 'secret-region' },
    });
    await append(server, agent.id, agent.id, [
      textMessage('I am Bob.'),
      textMessage('{"type":"user_message","message":"looks packed"}'),
      {
        kind: 'assistant',
        text: '',
        reasoning: 'He is Bob.',
        nativeReasoning: false,
        toolCalls: [{ id: 'call_1', name: 'send_message', arguments: '{"message":"Hello Bob"}' }],
      },
      { kind: 'tool', toolCallId: 'call_1', toolName: 'send_message', status: 'success', content: 'Sent.' },
      { kind: 'notice', text: 'The block human changed.' },
    ]);
    await sql`update threads set queue_start = 3, summary_block_id = (select id from blocks where label = 'persona' limit 1)
      where id = ${agent.id}`.execute(server.db);
    const conversation = await createConversation(server.db, agent.id, { summary: 'Plans' });
    await append(server, conversation.id, agent.id, [textMessage('Another line.')]);
    const [tea] = await insertPassages(server.db, agent.id, [
      { text: 'Bob likes tea.', tags: ['likes'], embedding: { vector, model: 'perdure/use-lite' } },
      { text: 'Bob has a cat.', metadata: { sure: true } },
    ]);
    await pinPassage(server.db, agent.id, tea?.id ?? '');
    const archive = await createArchive(server.db, {
      name: 'Shelf',
      description: null,
      embedding: agent.embedding,
    });
    await attachArchive(server.db, agent.id, archive.id);
    await insertIntoArchive(server.db, archive.id, [{ text: 'On the shelf.' }]);
    await aReadFile(source.id, agent.embedding);
    return agent;
  }

  async function aReadFile(sourceId: string, embedding: string): Promise<void> {
    const text = 'First line.\nSecond line.\n';
    const bytes = Buffer.from(text);
    const pieces = (async function* () {
      yield await Promise.resolve(bytes);
    })();
    const { file } = await addFile(server.db, {
      ...{ sourceId, name: 'notes.md', mediaType: 'text/markdown', size: bytes.length, duplicates: 'error' },
      pieces,
    });
    await sql`update files set state = 'completed', lines = 2, characters = 25, chunks = 1, chunks_embedded = 1
      where id = ${file.id}`.execute(server.db);
    await sql`insert into file_parts (file_id, index, first_line, words) values (${file.id}, 0, 1, ${text})`.execute(
      server.db,
    );
    await server.db
      .insertInto('passages')
      .values({
        ...{ id: `passage-${randomUUID()}`, archive_id: null, source_id: sourceId, file_id: file.id },
        ...{ words: text, tags: [], metadata: '{"first_line":1}', identifiers: [], embedding: vector },
        embedding_model: embedding,
      })
      .execute();
  }

  it('[agentfile.whole] recreate an agent elsewhere with everything that it has', async () => {
    const agent = await anAgentWithEverything();
    const file = await exported(server, agent.id);

    const { agent_ids: ids } = await take(other, file, { fields: { append_copy_suffix: 'false' } });
    const again = await exported(other, ids[0] ?? '');

    expect({ ...again, created_at: '' }).toEqual({ ...file, created_at: '' });
    expect(ids).toHaveLength(2);
    const copy = await agentOf(other, ids[0] ?? '');
    expect(copy).toMatchObject({
      name: 'Ada',
      description: 'Remembers.',
      tags: ['a', 'b'],
      enable_sleeptime: true,
    });
    expect(copy.blocks.map(({ label, value, limit }) => [label, value, limit])).toEqual(
      agent.blocks.map(({ label, value, limit }) => [label, value, limit]),
    );
    expect(copy.tools.map((tool) => tool.name)).toEqual(agent.tools.map((tool) => tool.name));
    expect(copy.tool_rules).toEqual(agent.tool_rules);
    expect((await listPins(other.db, copy.id)).map((pin) => pin.text)).toEqual(['Bob likes tea.']);
    const { rows } = await sql<Record<string, unknown>>`
      select recall_messages, (select count(*)::int from messages where thread_id = threads.id) as messages,
        (select array_agg(p.embedding is not null order by p.words) from passages p join agent_archives a using (archive_id)
          where a.agent_id = threads.agent_id) as embedded,
        (select lines from files) as lines, (select words from passages where file_id is not null) as words
      from threads where id = ${copy.id}`.execute(other.db);
    expect(rows).toEqual([
      {
        recall_messages: 2,
        messages: 5,
        embedded: [false, true, false],
        lines: 2,
        words: 'First line.\nSecond line.\n',
      },
    ]);
  });

  it('[agentfile.whole] hold a shared block once, and it stays shared', async () => {
    const agent = await server.anAgent({
      enable_sleeptime: true,
      memory_blocks: [{ label: 'human', value: 'x' }],
    });
    const { agent_ids: ids } = await take(other, await exported(server, agent.id));
    const [first, second] = await Promise.all(ids.map((id) => agentOf(other, id)));

    const human = (of?: WireAgent) => of?.blocks.find((block) => block.label === 'human')?.id;
    expect(human(first)).toBeDefined();
    expect(human(second)).toBe(human(first));
  });

  it('[agentfile.secrets] name variables without their values, which an import supplies', async () => {
    const agent = await server.anAgent({
      secrets: { API_KEY: 'very-secret' },
      tool_exec_environment_variables: { REGION: 'secret-region' },
    });
    const file = await exported(server, agent.id);

    expect(JSON.stringify(file)).not.toMatch(/very-secret|secret-region/);
    const bare = await take(other, file);
    expect(bare.notes).toEqual([
      'These variables have no value yet: REGION, API_KEY. Set them as secrets of the agent.',
    ]);
    const given = await take(other, file, { fields: { secrets: '{"API_KEY":"new","REGION":"eu"}' } });
    expect(given.notes).toEqual([]);
    const { secrets } = await agentOf(other, given.agent_ids[0] ?? '');
    expect(Object.fromEntries(secrets.map(({ key, value }) => [key, value]))).toEqual({
      API_KEY: mask,
      REGION: mask,
    });
    const taken = await requireAgent(other.db, given.agent_ids[0] ?? '');
    expect(agentVariables(taken, testVault)).toEqual({ API_KEY: 'new', REGION: 'eu' });
  });

  it('[agentfile.wishes] are imported with another name, model and project or without messages, by either client', async () => {
    const agent = await server.anAgent({ name: 'Ada' });
    await append(server, agent.id, agent.id, [textMessage('Hello.')]);
    const file = await exported(server, agent.id);

    expect((await take(other, file)).name).toBe('Ada_copy');
    const newer = await take(other, file, {
      fields: { name: 'Eve', model: 'perdure/demo', strip_messages: 'true', project_id: 'p1' },
    });
    expect(newer).toMatchObject({ name: 'Eve', model: 'perdure/demo', project_id: 'p1' });
    expect(newer['message_ids']).toEqual([systemMessageId(newer.agent_ids[0] ?? '')]);
    const older = await take(other, file, {
      query: '?append_copy_suffix=false&strip_messages=false',
      headers: fernHeaders,
    });
    expect(older).toMatchObject({ id: older.agent_ids[0], name: 'Ada' });
    expect(older['message_ids']).toEqual([systemMessageId(older.agent_ids[0] ?? ''), expect.any(String)]);
  });

  it('[agentfile.wishes] are exported without messages or with one conversation only', async () => {
    const agent = await server.anAgent();
    await append(server, agent.id, agent.id, [textMessage('Default.')]);
    const conversation = await createConversation(server.db, agent.id, {});
    await append(server, conversation.id, agent.id, [textMessage('Aside.')]);

    const scrubbed = JSON.stringify(await exported(server, agent.id, '?scrub_messages=true'));
    expect(scrubbed).not.toMatch(/Default\.|Aside\./);
    const aside = JSON.stringify(await exported(server, agent.id, `?conversation_id=${conversation.id}`));
    expect(aside).toMatch(/Aside\./);
    expect(aside).not.toMatch(/Default\./);
    const legacy = await server.call('GET', `/v1/agents/${agent.id}/export?use_legacy_format=true`);
    expect(legacy).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('use_legacy_format') },
    });
  });

  it('[agentfile.letta] are imported from Letta’s published example of the newer format', async () => {
    const file = readFileSync(packageFile('test/support/agents/agent-files/customer_service.af'), 'utf8');
    const { agent_ids: ids, notes } = await take(other, file, {
      fields: { model: 'perdure/demo', embedding: 'perdure/use-lite', append_copy_suffix: 'false' },
    });

    expect(notes).toEqual([]);
    const agent = await agentOf(other, ids[0] ?? '');
    expect(agent).toMatchObject({
      ...{ name: 'customer_service', agent_type: 'letta_v1_agent' },
      message_ids: [systemMessageId(agent.id)],
      llm_config: { context_window: 32_000 },
    });
    expect(agent.blocks.map((block) => block.label).sort()).toEqual(['human', 'persona']);
    expect(agent.tools.map((tool) => tool.name).sort()).toEqual([
      'cancel_order',
      'check_order_status',
      'conversation_search',
      'escalate',
      'memory_insert',
      'memory_replace',
      'terminate_chat',
    ]);
  });

  it('[agentfile.letta] are imported from Letta’s older format, with messages in order and without prompts', async () => {
    const file = readFileSync(
      packageFile('test/support/agents/agent-files/memgpt_agent_with_convo.af'),
      'utf8',
    );
    const { agent_ids: ids } = await take(other, file, {
      fields: { model: 'perdure/demo', embedding: 'perdure/use-lite' },
    });

    const { rows } = await sql<{ kind: string; words: string }>`
      select kind, words from messages where thread_id = ${ids[0] ?? ''} order by position`.execute(other.db);
    expect(rows.map(({ kind, words }) => `${kind}: ${words.split('\n')[0]?.slice(0, 48)}`))
      .toMatchInlineSnapshot(`
     [
       "assistant: Bootup sequence complete. Persona activated. Tes",
       "tool: None",
       "system: {",
       "user: my name is actually Brad ",
       "assistant: The user's name is Brad, not Chad. I must correc",
       "tool: None",
       "heartbeat: [This is an automated system message hidden from",
       "assistant: I need to acknowledge the correction and continu",
       "tool: None",
       "user: I am looking for an agent that actually can reme",
       "assistant: Brad is seeking an agent that can remember facts",
       "tool: None",
     ]
    `);
    const agent = await agentOf(other, ids[0] ?? '');
    expect(agent.message_ids).toHaveLength(1 + rows.length);
    expect(agent.tool_rules).toContainEqual({
      tool_name: 'send_message',
      type: 'exit_loop',
      prompt_template: null,
    });
  });

  describe('with sources', () => {
    /** An agent with a source with the file `a.txt`, whose only passage is pinned. */
    function withSource(name: string, content: string | null, more: object = {}) {
      return {
        agents: [
          {
            ...{ id: 'agent-0', name: 'A', agent_type: 'memgpt_agent', model: 'perdure/demo' },
            source_ids: ['source-0'],
          },
        ],
        sources: [{ id: 'source-0', name }],
        files: [{ id: 'file-0', source_id: 'source-0', file_name: 'a.txt', content, ...more }],
        perdure: {
          version: 1,
          agents: { 'agent-0': { pins: content === null ? [] : ['passage-0'] } },
          files: {
            'file-0': { passages: [{ id: 'passage-0', text: 'One.', created_at: '2026-01-01T00:00:00Z' }] },
          },
        },
      };
    }

    async function sourcesOf(agentId: string): Promise<readonly string[]> {
      return (await agentOf(other, agentId)).sources.map((source) => source.name);
    }

    it('[agentfile.shared] share an existing source with the same texts, and say so', async () => {
      const name = `s ${randomUUID()}`;
      await take(other, withSource(name, 'One.'));

      const same = await take(other, withSource(name, 'One.'));
      const another = await take(other, withSource(name, 'Two.'));
      await sql`update files set state = 'failed' where source_id in (select id from sources where name = ${name})`.execute(
        other.db,
      );
      const unread = await take(other, withSource(name, 'One.'));

      const names = await Promise.all(
        [same, another, unread].map(({ agent_ids: [id] }) => sourcesOf(id ?? '')),
      );
      expect(names).toEqual([[name], [`${name} (2)`], [`${name} (3)`]]);
      expect(same.notes).toEqual([
        `These sources already exist here with the same texts, and the agents share them: ${name}.`,
        expect.stringMatching(/^1 pinned passages of shared sources/),
      ]);
      expect([another.notes, unread.notes]).toEqual([[], []]);
    });

    it('[agentfile.shared] report files without text, and share no source without files', async () => {
      const name = `s ${randomUUID()}`;
      await take(other, withSource(name, null));

      const { agent_ids: ids, notes } = await take(other, withSource(name, null));

      expect(await sourcesOf(ids[0] ?? '')).toEqual([`${name} (2)`]);
      expect(notes).toEqual([expect.stringMatching(/left out: a\.txt\./)]);
    });

    it('[agentfile.whole] are stored even with NULs in a file’s type or an archive’s name', async () => {
      const file = withSource(`s ${randomUUID()}`, 'One.', { file_type: 'text/\0plain' });
      const archives = [
        { id: 'archive-0', name: 'Sh\0elf', description: '\0', embedding: 'perdure/use-lite' },
      ];

      await take(other, { ...file, perdure: { ...file.perdure, archives } });

      const { rows } = await sql`select name, description from archives where name like 'Sh_elf'`.execute(
        other.db,
      );
      expect(rows).toEqual([{ name: 'Sh\uFFFDelf', description: '\uFFFD' }]);
    });
  });

  it('[agentfile.again] create their agents once for a repeated request', async () => {
    const file = {
      agents: [{ id: 'agent-0', name: 'A', agent_type: 'memgpt_agent', model: 'perdure/demo' }],
      skills: [1],
    };
    const retry = { headers: { ...stainlessHeaders, 'x-stainless-retry-count': '1' } };
    const keyed = { headers: { ...stainlessHeaders, 'idempotency-key': randomUUID() } };
    const first = await take(other, file);

    expect(await take(other, file, retry)).toMatchObject({ agent_ids: first.agent_ids, notes: first.notes });
    const another = await take(other, file, keyed);
    expect(another.agent_ids).not.toEqual(first.agent_ids);
    expect((await take(other, file, keyed)).agent_ids).toEqual(another.agent_ids);
    const renamed = await take(other, file, { ...retry, fields: { name: 'B' } });
    expect([first, another].flatMap(({ agent_ids: ids }) => ids)).not.toContain(renamed.agent_ids[0]);
    await sql`update agent_imports set created_at = created_at - interval '1 hour'`.execute(other.db);
    expect((await take(other, file, retry)).agent_ids).not.toEqual(another.agent_ids);
  });

  describe('[agentfile.refused] an agent file', () => {
    const minimal = {
      agents: [{ id: 'agent-0', name: 'A', agent_type: 'memgpt_agent', model: 'perdure/demo' }],
    };
    const [agent] = minimal.agents;
    const aFile = { id: 'file-0', source_id: 'source-0' };
    const kept = (part: object) => ({ ...minimal, perdure: { version: 1, agents: { 'agent-0': part } } });
    const managed = (config: object) => ({
      ...minimal,
      groups: [{ id: 'group-0', agent_ids: ['agent-0'], description: '', manager_config: config }],
    });
    const dated = (time: string) => ({
      ...minimal,
      perdure: {
        version: 1,
        archives: [
          { id: 'archive-0', name: 'a', embedding: 'x/y', passages: [{ text: 't', created_at: time }] },
        ],
      },
    });
    const custom = (source: string) => ({
      ...minimal,
      agents: [{ ...agent, tool_ids: ['tool-0'] }],
      tools: [{ id: 'tool-0', name: 'f', tool_type: 'custom', source_type: 'python', source_code: source }],
    });

    it.each([
      ['not JSON', 'agents: []', 400, 'is not JSON'],
      ['not an agent file', { blocks: [] }, 422, 'neither `agents`'],
      ['a bare text', '"hello"', 422, 'neither `agents`'],
      ['another version', { ...minimal, perdure: { version: 7 } }, 422, 'version 7'],
      ['no agents', { agents: [] }, 422, 'agents: must hold an agent at least'],
      ['a missing field', { agents: [{ id: 'agent-0' }] }, 422, 'agents.0.name'],
      [
        'an older file without a list of messages',
        { agent_type: 'memgpt_agent', core_memory: 1, name: 'x' },
        422,
        'core_memory',
      ],
      ['a reference to a missing block', { agents: [{ ...agent, block_ids: ['block-9'] }] }, 422, 'block-9'],
      ['a repeated id', { agents: [agent, agent] }, 422, 'agent-0 twice'],
      ['an unknown model', { agents: [{ ...agent, model: 'openai/gpt-9' }] }, 404, '`model` set'],
      ['no model', { agents: [{ ...agent, model: null }] }, 422, 'has no model'],
      ['an unknown embedding', { agents: [{ ...agent, embedding: 'openai/x' }] }, 404, '`embedding` set'],
      ['Python that does not parse', custom('def f(:'), 400, "tool 'f'"],
      [
        'an invalid vector',
        {
          ...minimal,
          perdure: {
            version: 1,
            archives: [
              {
                id: 'archive-0',
                name: 'a',
                embedding: 'x/y',
                passages: [
                  {
                    text: 't',
                    created_at: '2026-01-01T00:00:00Z',
                    embedding: { model: 'x/y', vector: 'AAA=' },
                  },
                ],
              },
            ],
          },
        },
        422,
        'vector',
      ],
      ['a time in year 0', dated('0000-01-01T00:00:00Z'), 422, 'year 1'],
      ['an impossible UTC offset', dated('2026-01-01T00:00:00+23:00'), 422, '16 hours'],
      ['an impossible file size', { ...minimal, files: [{ ...aFile, file_size: 1e300 }] }, 422, 'file_size'],
      [
        'an empty termination token',
        managed({ manager_type: 'round_robin', termination_token: '' }),
        422,
        'token',
      ],
      [
        'a supervisor group without a manager',
        managed({ manager_type: 'supervisor' }),
        422,
        'manager_agent_id',
      ],
      ['invalid fields of an agent', kept({ extras: { hidden: 'maybe' } }), 422, 'extras.hidden'],
      [
        'invalid fields of a conversation',
        kept({ conversations: [{ extras: { hidden: 'maybe' } }] }),
        422,
        'extras.hidden',
      ],
      [
        'invalid fields of a group',
        {
          ...managed({ manager_type: 'round_robin' }),
          perdure: { version: 1, groups: { 'group-0': { manager_config: {}, extras: { hidden: 'maybe' } } } },
        },
        422,
        'extras.hidden',
      ],
      [
        'too many entries',
        { ...minimal, files: Array.from({ length: 10_001 }, () => aFile) },
        422,
        'more than 10000 entries',
      ],
    ])('is refused and leaves nothing behind: %s', async (_what, file, status, words) => {
      const before = await counts(other);

      expect(await send(other, file)).toMatchObject({
        status,
        body: { detail: expect.stringContaining(words) },
      });
      expect(await counts(other)).toEqual(before);
    });

    it('is refused above the limit, and so is a form without a file', async () => {
      expect(await send(other, 'x'.repeat(1_100_000))).toMatchObject({
        status: 413,
        body: { detail: expect.stringContaining('1 MB') },
      });
      const empty = await other.app.inject({
        method: 'POST',
        url: '/v1/agents/import',
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        payload: '--x--\r\n',
      });
      expect([empty.statusCode, empty.body]).toEqual([422, expect.stringContaining('body.file')]);
    });

    it('is refused for a different tool of the same name unless it may replace it', async () => {
      const ours = 'def clash(a: int):\n    """Ours.\n\n    Args:\n        a: One.\n    """\n    return a\n';
      const theirs = ours.replace('Ours', 'Theirs');
      await other.call('PUT', '/v1/tools/', { body: { source_code: ours } });
      const named = (source: string, name = 'clash') => {
        const file = custom(source);
        return { ...file, tools: file.tools.map((tool) => ({ ...tool, name })) };
      };
      const keep = { fields: { override_existing_tools: 'false' } };
      const before = await counts(other);

      expect(await send(other, named(theirs), keep)).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('clash') },
      });
      expect(await counts(other)).toEqual(before);
      expect(await send(other, named(ours), keep)).toMatchObject({ status: 200 });
      const { agent_ids: ids } = await take(other, named(theirs));
      expect((await agentOf(other, ids[0] ?? '')).tools[0]).toMatchObject({ description: 'Theirs.' });
    });

    it('[seeds.override] may hold a custom tool that replaces a base tool of the same name', async () => {
      const speech =
        'def send_message(a: int):\n    """Ours.\n\n    Args:\n        a: One.\n    """\n    return a\n';
      const file = custom(speech);
      const tools = file.tools.map((tool) => ({ ...tool, name: 'send_message' }));

      const { agent_ids: ids } = await take(other, { ...file, tools });

      const [tool, ...more] = (await agentOf(other, ids[0] ?? '')).tools;
      expect(tool).toMatchObject({ name: 'send_message', tool_type: 'custom' });
      expect(more).toEqual([]);
    });

    async function counts(of: TestServer) {
      const { rows } =
        await sql`select (select count(*) from agents) as agents, (select count(*) from blocks) as blocks,
        (select count(*) from tools) as tools, (select count(*) from archives) as archives`.execute(of.db);
      return rows[0];
    }
  });
});
