import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteAgent, listAgents } from '../../../schema/agents/agents.js';
import { createBlock, listBlocks } from '../../../schema/blocks/blocks.js';
import { insertMessages, listMessages } from '../../../schema/threads/messages.js';
import type { Page } from '../../../schema/db/paging.js';
import { insertPassages, listPassages } from '../../../schema/archives/passages.js';
import { listTools } from '../../../schema/tools/tools.js';
import { aMessage, anAgent, openTestDatabase, type OpenedDatabase } from '../fixtures.js';

type List = (page: Page) => Promise<readonly { readonly id: string }[]>;

describe('paging', () => {
  let database: OpenedDatabase;
  const lists = {} as Record<'agents' | 'blocks' | 'tools' | 'messages' | 'all messages' | 'passages', List>;

  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    const agent = await anAgent(db);
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g']) await anAgent(db, { name });
    for (const label of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await createBlock(db, { label, value: '' });
    const places = [1, 2, 3, 4, 5, 6, 7];
    // All at the same time: they differ only in position and id.
    await insertMessages(
      db,
      places.map((position) => aMessage({ agentId: agent.id, position })),
    );
    const createdAt = new Date('2026-01-01T00:00:00Z');
    await insertPassages(
      db,
      agent.id,
      places.map((place) => ({ text: `passage ${place}`, createdAt })),
    );
    lists.agents = (page) => listAgents(db, {}, page);
    lists.blocks = (page) => listBlocks(db, {}, page);
    lists.tools = (page) => listTools(db, {}, page);
    lists.messages = (page) => listMessages(db, { threadId: agent.id }, page);
    lists['all messages'] = (page) => listMessages(db, { agentId: agent.id }, page);
    lists.passages = (page) => listPassages(db, { agentId: agent.id }, page);
  });
  afterAll(() => database.close());

  const names = ['agents', 'blocks', 'tools', 'messages', 'all messages', 'passages'] as const;
  const cases = names.flatMap((name) => [[name, 'asc'] as const, [name, 'desc'] as const]);

  it.each(cases)('walks all %s (%s) by the last id until an empty page', async (name, order) => {
    const list = lists[name];
    const whole = (await list({ order })).map((item) => item.id);

    const walked: string[] = [];
    let page = await list({ order, limit: 3 });
    while (page.length > 0) {
      walked.push(...page.map((item) => item.id));
      page = await list({ order, limit: 3, after: walked.at(-1) });
    }

    expect(whole.length).toBeGreaterThanOrEqual(7);
    expect(walked).toEqual(whole);
  });

  it.each(cases)('returns the nearest %s (%s) before a cursor, in the same order', async (name, order) => {
    const list = lists[name];
    const whole = (await list({ order })).map((item) => item.id);

    const before = await list({ order, limit: 2, before: whole[5] });
    const between = await list({ order, after: whole[1], before: whole[5] });

    expect(before.map((item) => item.id)).toEqual(whole.slice(3, 5));
    expect(between.map((item) => item.id)).toEqual(whole.slice(2, 5));
  });

  it.each(names)('returns no %s after or before an unknown id', async (name) => {
    expect(await lists[name]({ after: 'nobody' })).toEqual([]);
    expect(await lists[name]({ before: 'nobody' })).toEqual([]);
  });

  it('reverses the order', async () => {
    const forwards = await lists.agents({ order: 'asc' });
    const backwards = await lists.agents({ order: 'desc' });

    expect(backwards).toEqual([...forwards].reverse());
  });

  it('continues after an agent that was deleted meanwhile', async () => {
    const [first, second] = await lists.agents({ order: 'asc' });
    await deleteAgent(database.db, first!.id);

    const page = await lists.agents({ order: 'asc', limit: 1, after: first!.id });

    expect(page).toMatchObject([{ id: second!.id }]);
  });
});
