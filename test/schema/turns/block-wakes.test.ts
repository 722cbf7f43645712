import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../core/agents/agents.js';
import type { Block } from '../../../core/blocks/blocks.js';
import { messageText } from '../../../core/threads/messages.js';
import { attachBlock } from '../../../schema/blocks/agent-blocks.js';
import type { Author } from '../../../schema/blocks/authors.js';
import { changeBlock } from '../../../schema/blocks/changes.js';
import { agentsToWake, wakeForBlocks } from '../../../schema/turns/block-wakes.js';
import { createBlock } from '../../../schema/blocks/blocks.js';
import { markSeen } from '../../../schema/threads/epochs.js';
import { settleTurn } from '../../../schema/turns/settling.js';
import { listTurns } from '../../../schema/turns/turns.js';
import { anAgent, openTestDatabase, type OpenedDatabase } from '../fixtures.js';

describe('waking agents for their blocks', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(6);
  });
  afterAll(() => database.close());

  async function aBlockOf(agents: readonly Agent[]): Promise<Block> {
    const block = await createBlock(database.db, { label: 'plan', value: '' });
    for (const { id } of agents)
      await attachBlock(database.db, { agentId: id, blockId: block.id, notify: true });
    return block;
  }

  const agents = (count: number): Promise<Agent[]> =>
    Promise.all(Array.from({ length: count }, () => anAgent(database.db)));
  const edit = (block: Block, author: Author) =>
    changeBlock(database.db, { blockId: block.id, operation: { kind: 'append', content: 'x' }, ...author });
  const byUser = { actor: 'user' } as const;

  /** Wakes the agents that are due. Returns the turns of the given agents that were woken. */
  async function wake(asked: readonly Agent[]): Promise<Map<string, string>> {
    const woken = new Map<string, string>();
    for (const agentId of await agentsToWake(database.db)) {
      const isWoken = await wakeForBlocks(database.db, agentId);
      const [turn] = await listTurns(database.db, { agentIds: [agentId] }, { order: 'desc', limit: 1 });
      if (isWoken && asked.some(({ id }) => id === agentId)) woken.set(agentId, turn?.id ?? '');
    }
    return woken;
  }

  const end = (turnId: string) => settleTurn(database.db, { turnId, stopReason: 'cancelled' });

  async function textsOf(agent: Agent): Promise<string[]> {
    const rows = await database.db
      .selectFrom('messages')
      .select('body')
      .where('agent_id', '=', agent.id)
      .execute();
    return rows.map(({ body }) => messageText(body));
  }

  it('[block.wake] sends one message for many changes, only to agents that asked for it', async () => {
    const [asked, silent] = (await agents(2)) as [Agent, Agent];
    const block = await aBlockOf([asked]);
    await attachBlock(database.db, { agentId: silent.id, blockId: block.id });
    for (let times = 0; times < 3; times += 1) await edit(block, byUser);

    const woken = await wake([asked, silent]);

    expect([...woken.keys()]).toEqual([asked.id]);
    expect(await textsOf(asked)).toEqual([expect.stringContaining('"plan" (now at revision 4) was changed')]);
    expect(await textsOf(silent)).toEqual([]);
    expect(await wake([asked])).toEqual(new Map());
  });

  it('[block.wake] is remembered for a week after its turn', async () => {
    const [agent] = (await agents(1)) as [Agent];
    const block = await aBlockOf([agent]);
    const wakes = async () => {
      const query = database.db.selectFrom('block_wakes').select('origin').where('agent_id', '=', agent.id);
      return (await query.orderBy('origin').execute()).map(({ origin }) => origin);
    };
    for (const daysAgo of [8, 6]) {
      await edit(block, byUser);
      const turnId = (await wake([agent])).get(agent.id) ?? '';
      await end(turnId);
      const ended = new Date(Date.now() - daysAgo * 24 * 60 * 60 * 1000);
      await database.db.updateTable('turns').set({ completed_at: ended }).where('id', '=', turnId).execute();
    }

    await edit(block, byUser);
    await wake([agent]);

    expect(await wakes()).toEqual([`${block.id}:3`, `${block.id}:4`]);
  });

  it('[block.wake] waits while the agent is at work, and omits changes that it saw meanwhile', async () => {
    const [agent] = (await agents(1)) as [Agent];
    const [one, other] = [await aBlockOf([agent]), await createBlock(database.db, { label: 'b', value: '' })];
    await attachBlock(database.db, { agentId: agent.id, blockId: other.id, notify: true });
    await edit(one, byUser);
    const turnId = (await wake([agent])).get(agent.id) ?? '';

    await edit(one, byUser);
    await edit(other, byUser);
    const atWork = await wake([agent]);
    await database.db
      .transaction()
      .execute((tx) => markSeen(tx, agent.id, [{ blockId: one.id, revision: 3 }]));
    await end(turnId);
    const atRest = await wake([agent]);

    expect(atWork).toEqual(new Map());
    expect([...atRest.keys()]).toEqual([agent.id]);
    const [, last] = await textsOf(agent);
    expect(last).toContain('"b" (now at revision 2)');
    expect(last).not.toContain('"plan"');
  });

  it('[block.wake] covers only changes while notify is set', async () => {
    const [agent] = (await agents(1)) as [Agent];
    const block = await createBlock(database.db, { label: 'plan', value: '' });
    await attachBlock(database.db, { agentId: agent.id, blockId: block.id });
    await edit(block, byUser);

    await attachBlock(database.db, { agentId: agent.id, blockId: block.id, notify: true });
    expect(await wake([agent])).toEqual(new Map());
    await edit(block, byUser);
    await attachBlock(database.db, { agentId: agent.id, blockId: block.id, notify: false });
    expect(await wake([agent])).toEqual(new Map());
  });

  it('[block.wake-ends] ignores an agent’s own edits and those of sleep-time agents', async () => {
    const [agent, partner] = (await agents(2)) as [Agent, Agent];
    const block = await aBlockOf([agent]);

    await edit(block, { actor: 'agent', agentId: agent.id });
    await edit(block, { actor: 'sleep_time', agentId: partner.id });

    expect(await wake([agent])).toEqual(new Map());
  });

  it('[block.wake-ends] ends among agents that answer each edit with another one', async () => {
    const all = await agents(4);
    const block = await aBlockOf(all);
    await edit(block, { actor: 'agent', agentId: all[0]!.id });

    const rounds: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const woken = await wake(all);
      rounds.push(woken.size);
      for (const [agentId, turnId] of woken) {
        await edit(block, { actor: 'agent', agentId, turnId });
        await end(turnId);
      }
    }

    // The edit wakes all others, the first answer wakes its author, and nothing follows.
    expect(rounds).toEqual([3, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    await edit(block, byUser);
    expect((await wake(all)).size).toBe(4);
  });

  it('[block.wake-ends] follows a chain of edits, waking each agent once', async () => {
    const [first, second, third] = (await agents(3)) as [Agent, Agent, Agent];
    const [plan, findings] = [await aBlockOf([second]), await aBlockOf([third, first])];

    await edit(plan, { actor: 'agent', agentId: first.id });
    const toSecond = await wake([first, second, third]);
    await edit(findings, { actor: 'agent', agentId: second.id, turnId: toSecond.get(second.id) ?? '' });
    const toThird = await wake([first, second, third]);

    expect([...toSecond.keys()]).toEqual([second.id]);
    expect([...toThird.keys()].sort()).toEqual([first.id, third.id].sort());
  });

  it('[block.wake] happens once when several workers do it at the same time', async () => {
    const [agent] = (await agents(1)) as [Agent];
    await edit(await aBlockOf([agent]), byUser);

    const told = await Promise.all([1, 2, 3].map(() => wakeForBlocks(database.db, agent.id)));

    expect(told.filter(Boolean)).toHaveLength(1);
    expect(await textsOf(agent)).toHaveLength(1);
  });
});
