import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensurePartner } from '../../../client/sleep-time-partners.js';
import type { Agent } from '../../../core/agents/agents.js';
import type { ManagerConfig } from '../../../core/groups/groups.js';
import { enqueueTurn } from '../../../schema/turns/deliveries.js';
import { commitEviction } from '../../../schema/threads/evictions.js';
import { requireGroup, updateGroup } from '../../../schema/groups/groups.js';
import type { DeliveryKind, TurnOptions } from '../../../schema/turns/records.js';
import { partnersToWake } from '../../../schema/refinement/requests.js';
import { settleTurn } from '../../../schema/turns/settling.js';
import { lockThread } from '../../../schema/threads/threads.js';
import { anAgent, type OpenedDatabase, openTestDatabase } from '../fixtures.js';

describe('requests for a refinement', () => {
  let database: OpenedDatabase;

  beforeAll(async () => {
    database = await openTestDatabase();
  });

  afterAll(() => database.close());

  async function aPair(managerConfig: ManagerConfig) {
    const agent = await anAgent(database.db);
    const group = await ensurePartner(database.db, agent, managerConfig);
    return { agent, group, partnerId: group.agentIds[0]! };
  }

  let turns = 0;

  async function storeTurn(
    { id: threadId }: Agent,
    kind: DeliveryKind,
    options: TurnOptions = {},
  ): Promise<string> {
    turns += 1;
    const turnId = `run-${turns}`;
    await enqueueTurn(database.db, {
      ...{ turnId, threadId, kind, deliveryId: `delivery-${turns}`, messages: [], options },
      ...{ requestKey: null, requestHash: null, joinWithinMs: 0, steer: false },
    });
    return turnId;
  }

  async function endTurn(
    agent: Agent,
    kind: DeliveryKind = 'message',
    options: TurnOptions = {},
  ): Promise<void> {
    const turnId = await storeTurn(agent, kind, options);
    await database.db
      .updateTable('turns')
      .set({ state: 'running', started_at: new Date() })
      .where('id', '=', turnId)
      .execute();
    await settleTurn(database.db, { turnId, stopReason: 'end_turn' });
    // Repeated, as after a crash.
    await settleTurn(database.db, { turnId, stopReason: 'end_turn' });
  }

  const causes = async (partnerId: string): Promise<readonly string[]> => {
    const query = database.db.selectFrom('refinement_requests').select('cause');
    return (await query.where('partner_id', '=', partnerId).execute()).map(({ cause }) => cause);
  };

  async function evict(agent: Agent): Promise<void> {
    turns += 1;
    await database.db.transaction().execute(async (tx) => {
      const thread = await lockThread(tx, agent.id);
      const eviction = {
        ...{
          id: `eviction-${turns}`,
          threadId: agent.id,
          turnId: 'run-x',
          level: 0,
          method: 'hard' as const,
        },
        ...{ keepFrom: 1, messages: 0, tokensBefore: 0, tokensAfter: 0 },
      };
      await commitEviction(tx, thread!, { eviction, summary: '', limit: 100 });
    });
  }

  it('are made every n turns, counting each turn once [sleep.frequency]', async () => {
    const { agent, group, partnerId } = await aPair({ frequency: 3 });

    await endTurn(agent);
    await endTurn(agent);
    expect(await causes(partnerId)).toEqual([]);
    await endTurn(agent);

    expect(await causes(partnerId)).toEqual(['turns']);
    expect((await requireGroup(database.db, group.id)).turnsCounter).toBe(3);
    expect(await partnersToWake(database.db)).toContain(partnerId);
  });

  it('are made by every turn when the frequency is null, and are stored once while one waits [sleep.frequency]', async () => {
    const { agent, partnerId } = await aPair({ frequency: null });

    await endTurn(agent);
    await endTurn(agent);

    expect(await causes(partnerId)).toEqual(['turns']);
  });

  it('are not made by turns without a message, nor while the group is paused [sleep.frequency]', async () => {
    const { agent, group, partnerId } = await aPair({ frequency: 1 });

    await endTurn(agent, 'compact');
    await endTurn(agent, 'message', { chore: { kind: 'hear' } });
    await updateGroup(database.db, group.id, { paused: true });
    await endTurn(agent);
    await evict(agent);

    expect(await causes(partnerId)).toEqual([]);
    expect((await requireGroup(database.db, group.id)).turnsCounter).toBe(0);
  });

  it('are not made by a turn that was cancelled before it began [sleep.frequency]', async () => {
    const { agent, group, partnerId } = await aPair({ frequency: 1 });

    const turnId = await storeTurn(agent, 'message');
    await settleTurn(database.db, { turnId, stopReason: 'cancelled' });

    expect(await causes(partnerId)).toEqual([]);
    expect((await requireGroup(database.db, group.id)).turnsCounter).toBe(0);
  });

  it('are made by an eviction, unless the group declines that [sleep.eviction]', async () => {
    const wanted = await aPair({ frequency: 100 });
    const unwanted = await aPair({ frequency: 100, refinement: { atEviction: false } });

    await evict(wanted.agent);
    await evict(unwanted.agent);

    expect(await causes(wanted.partnerId)).toEqual(['eviction']);
    expect(await causes(unwanted.partnerId)).toEqual([]);
  });
});
