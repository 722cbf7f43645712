import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { attachBlock, blockAgents, listAgentBlocks } from '../../../schema/blocks/agent-blocks.js';
import { inTransaction } from '../../../schema/db/database.js';
import { agentDetails } from '../../../schema/agents/details.js';
import { listAgentTools } from '../../../schema/tools/agent-tools.js';
import { purgeAgent } from '../../../schema/agents/purge.js';
import { updateAgent } from '../../../schema/agents/updates.js';
import {
  countAgents,
  deleteAgent,
  getAgent,
  listAgents,
  requireAgent,
} from '../../../schema/agents/agents.js';
import { agentArchive } from '../../../schema/archives/archives.js';
import { createBlock, getBlock } from '../../../schema/blocks/blocks.js';
import { AgentIdTakenError, AgentNotFoundError } from '../../../schema/agents/errors.js';
import { BlockLimitError, BlockNotFoundError, LabelTakenError } from '../../../schema/blocks/errors.js';
import { ToolNotFoundError } from '../../../schema/tools/errors.js';
import { insertMessages, listMessages } from '../../../schema/threads/messages.js';
import { countPassages, insertPassages } from '../../../schema/archives/passages.js';
import { getToolByName } from '../../../schema/tools/tools.js';
import { aMessage, anAgent, openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

describe('agents', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it('reads the end of an agent’s latest turn from an index alone [wire.agent-search]', async () => {
    const plan = await inTransaction(database.db, async (tx) => {
      // Without this a table as small as a test’s is scanned.
      await sql`set local enable_seqscan = off`.execute(tx);
      return sql`explain select max(completed_at) from turns where agent_id = 'agent-1'`.execute(tx);
    });

    expect(JSON.stringify(plan.rows)).toContain('Index Only Scan using turns_by_completion');
  });

  it('creates an agent with its blocks, tools, thread and archive', async () => {
    const { db } = database;
    const shared = await createBlock(db, { label: 'team', value: 'We ship.' });
    const search = await getToolByName(db, 'conversation_search');

    const agent = await anAgent(db, {
      tags: ['b', 'a', 'a'],
      blocks: [
        { label: 'human', value: 'Sam' },
        { label: 'persona', value: 'Kind' },
      ],
      blockIds: [shared.id],
      toolNames: ['send_message'],
      toolIds: [search?.id ?? ''],
      modelSettings: { temperature: 0 },
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
    });

    expect(agent.id).toMatch(/^agent-[0-9a-f-]{36}$/);
    expect(agent).toMatchObject({ tags: ['a', 'b'], timezone: 'UTC', modelSettings: { temperature: 0 } });
    expect((await listAgentBlocks(db, agent.id)).map((block) => [block.label, block.value])).toEqual([
      ['human', 'Sam'],
      ['persona', 'Kind'],
      ['team', 'We ship.'],
    ]);
    expect((await listAgentTools(db, agent.id)).map((tool) => tool.name)).toEqual([
      'send_message',
      'conversation_search',
    ]);
    expect(await agentArchive(db, agent.id)).toMatchObject({ embedding: 'test/embedding' });
    const thread = await db.selectFrom('threads').selectAll().where('agent_id', '=', agent.id).execute();
    expect(thread).toMatchObject([{ id: agent.id, is_default: true }]);
  });

  it.each([
    [
      { toolNames: ['send_message', 'fly'], toolIds: ['tool-none'] },
      ToolNotFoundError,
      { namesOrIds: ['tool-none', 'fly'] },
    ],
    [{ blockIds: ['block-none'] }, BlockNotFoundError, { blockId: 'block-none' }],
    [
      {
        blocks: [
          { label: 'a', value: '' },
          { label: 'a', value: '' },
        ],
      },
      LabelTakenError,
      { label: 'a' },
    ],
    [
      { blocks: [{ label: 'a', value: '12345', limit: 4 }] },
      BlockLimitError,
      { label: 'a', limit: 4, size: 5 },
    ],
  ])('creates nothing when a part of the input is wrong (%#)', async (wrong, error, fields) => {
    const id = `agent-${randomUUID()}`;

    const failure = await rejection(anAgent(database.db, { id, ...wrong }));

    expect(failure).toBeInstanceOf(error);
    expect(failure).toMatchObject(fields);
    expect(await getAgent(database.db, id)).toBeUndefined();
  });

  it('refuses an id that another agent has or had', async () => {
    const agent = await anAgent(database.db);
    await deleteAgent(database.db, agent.id);

    const failure = await rejection(anAgent(database.db, { id: agent.id }));

    expect(failure).toBeInstanceOf(AgentIdTakenError);
    expect(failure).toMatchObject({ taken: agent.id });
  });

  it('stores texts that Postgres would refuse', async () => {
    const agent = await anAgent(database.db, {
      name: 'a\0b',
      metadata: { half: '\uD83D', nul: 'x\0', whole: '😀' },
    });

    expect(agent.name).toBe('a\uFFFDb');
    expect(agent.metadata).toEqual({ half: '\uFFFD', nul: 'x\uFFFD', whole: '😀' });
  });

  it('changes the given fields and keeps the rest', async () => {
    const { db } = database;
    const agent = await anAgent(db, {
      description: 'old',
      tags: ['one'],
      extras: { kept: 1, changed: 1 },
      blocks: [
        { label: 'human', value: '' },
        { label: 'persona', value: '' },
      ],
      toolNames: ['send_message'],
    });
    const [, persona] = await listAgentBlocks(db, agent.id);
    const other = await createBlock(db, { label: 'other', value: '' });
    const append = await getToolByName(db, 'core_memory_append');

    const updated = await updateAgent(db, agent.id, {
      name: 'Grace',
      tags: ['two'],
      extras: { changed: 2 },
      blockIds: [other.id, persona?.id ?? ''],
      toolIds: [append?.id ?? ''],
    });

    expect(updated).toMatchObject({
      name: 'Grace',
      description: 'old',
      tags: ['two'],
      extras: { kept: 1, changed: 2 },
    });
    expect(updated.updatedAt.getTime()).toBeGreaterThan(agent.updatedAt.getTime());
    expect((await listAgentBlocks(db, agent.id)).map((block) => block.label)).toEqual(['persona', 'other']);
    expect((await listAgentTools(db, agent.id)).map((tool) => tool.name)).toEqual(['core_memory_append']);
    const failure = await rejection(updateAgent(db, 'agent-none', { name: 'x' }));
    expect(failure).toBeInstanceOf(AgentNotFoundError);
  });

  it('finds agents by name, part of the name, tags and block', async () => {
    const { db } = database;
    const block = await createBlock(db, { label: 'list', value: '' });
    const first = await anAgent(db, { name: 'List 100%', tags: ['x', 'y'], blockIds: [block.id] });
    const second = await anAgent(db, { name: 'list 1000', tags: ['y'] });
    const ids = async (filter: Parameters<typeof listAgents>[1]) =>
      (await listAgents(db, filter, {})).map((agent) => agent.id);

    expect(await ids({ name: 'list 1000' })).toEqual([second.id]);
    expect(await ids({ query: 'LIST 100' })).toEqual([first.id, second.id]);
    expect(await ids({ query: '100%' })).toEqual([first.id]);
    expect(await ids({ tags: ['x', 'y'] })).toEqual([first.id, second.id]);
    expect(await ids({ tags: ['x', 'y'], matchAllTags: true })).toEqual([first.id]);
    expect(await ids({ blockId: block.id })).toEqual([first.id]);
    expect(await countAgents(db, { tags: ['y'] })).toBe(2);
  });

  it('returns the details of many agents at once', async () => {
    const { db } = database;
    const agents = await Promise.all(
      ['p', 'q'].map((label) => anAgent(db, { blocks: [{ label, value: '' }], toolNames: ['send_message'] })),
    );

    const details = await agentDetails(db, [...agents.map((agent) => agent.id), 'agent-none']);

    expect(agents.map((agent) => details.get(agent.id)?.blocks.map((block) => block.label))).toEqual([
      ['p'],
      ['q'],
    ]);
    expect(details.get(agents[0]!.id)?.tools.map((tool) => tool.name)).toEqual(['send_message']);
    expect(details.get('agent-none')).toEqual({
      blocks: [],
      tools: [],
      archiveIds: [],
      identities: [],
      sources: [],
      lastTurn: null,
    });
  });

  it('[rest.deleted-agent] hides a deleted agent everywhere, and purges only its own rows', async () => {
    const { db } = database;
    const shared = await createBlock(db, { label: 'shared', value: 'stays' });
    const agent = await anAgent(db, { blockIds: [shared.id], tags: ['gone'] });
    const other = await anAgent(db, { blockIds: [shared.id] });
    await insertMessages(db, [aMessage({ agentId: agent.id, position: 1 })]);
    await insertPassages(db, agent.id, [{ text: 'secret' }]);
    const { id: archiveId } = await agentArchive(db, agent.id);

    await purgeAgent(db, agent.id);
    await deleteAgent(db, agent.id);

    expect(await getAgent(db, agent.id)).toBeUndefined();
    expect(await rejection(requireAgent(db, agent.id))).toBeInstanceOf(AgentNotFoundError);
    expect(await rejection(deleteAgent(db, agent.id))).toBeInstanceOf(AgentNotFoundError);
    expect(await rejection(attachBlock(db, { agentId: agent.id, blockId: shared.id }))).toBeInstanceOf(
      AgentNotFoundError,
    );
    expect(await listAgents(db, { tags: ['gone'] }, {})).toEqual([]);
    expect(await listAgentBlocks(db, agent.id)).toEqual([]);
    expect(await blockAgents(db, shared.id)).toEqual([other.id]);
    expect(await listMessages(db, { agentId: agent.id }, {})).toEqual([]);
    expect(await countPassages(db, agent.id)).toBe(0);

    await purgeAgent(db, agent.id);

    const left = await db.selectFrom('messages').select('id').where('agent_id', '=', agent.id).execute();
    expect(left).toEqual([]);
    expect(await db.selectFrom('archives').select('id').where('id', '=', archiveId).execute()).toEqual([]);
    expect(await getBlock(db, shared.id)).toMatchObject({ value: 'stays' });
  });
});
