import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { wakeText } from '../../core/blocks/wakes.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { enqueueTurn } from './deliveries.js';
import { lockThread } from '../threads/threads.js';

/** Idle agents that asked to be woken for a block and whose block has a newer revision, in batches. */
export async function agentsToWake(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ agent_id: string }>`
    select distinct agent_blocks.agent_id
    from agent_blocks join blocks on blocks.id = agent_blocks.block_id
    where agent_blocks.notify and blocks.revision > agent_blocks.notified_revision
      and not exists (
        select from deliveries d where d.thread_id = agent_blocks.agent_id and d.state in ('waiting', 'claimed')
      )
    limit 500`.execute(db);
  return rows.map((row) => row.agent_id);
}

/**
 * Wakes an agent with one message that names the blocks that others changed. Returns whether it did. Promises:
 * 1. A busy agent is not woken: it sees the change at its next step, and is told later of what it did not see.
 * 2. There is one message, however many changes it covers.
 * 3. An agent is never woken by its own change, nor twice by consequences of the same edit. An edit in a turn that
 *    such a message began is a consequence of the edits that the message named; any other edit stands for itself. A
 *    chain of agents that wake each other therefore ends once each was woken.
 * 4. Changes by sleep-time wake no agent: sleep-time runs after the agent's turns, and would wake it forever.
 * 5. A wake is remembered until a week after its turn's end, when the agent is next woken.
 * 6. Several processes may do this at once.
 */
export async function wakeForBlocks(db: Db, agentId: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Locks the thread first, as every writer of a turn does.
    if ((await lockThread(tx, agentId)) === undefined || (await isAtWork(tx, agentId))) return false;
    const changes = await takeUntold(tx, agentId);
    if (changes.length === 0) return false;
    const turnId = `run-${randomUUID()}`;
    await forgetOldWakes(tx, agentId);
    await enqueueWake(tx, { agentId, turnId, text: wakeText(changes) });
    await sql`
      insert into block_wakes (agent_id, origin, turn_id)
      select ${agentId}, origin, ${turnId} from unnest(${changes.flatMap(({ origins }) => origins)}::text[]) as origin
      on conflict do nothing`.execute(tx);
    return true;
  });
}

async function isAtWork(tx: Tx, threadId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('deliveries')
    .select('id')
    .where('thread_id', '=', threadId)
    .where('state', 'in', ['waiting', 'claimed'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

interface UntoldChange {
  readonly label: string;
  readonly revision: number;
  /** The edits from outside that caused it, each as `block:revision`. */
  readonly origins: readonly string[];
}

/**
 * Others' changes that the agent has not seen and that have an origin it was not woken for. They count as told from
 * now on. A single statement, so that a change committed meanwhile is told the next time.
 */
async function takeUntold(tx: Tx, agentId: string): Promise<readonly UntoldChange[]> {
  const { rows } = await sql<UntoldChange>`
    with told as (
      update agent_blocks set notified_revision = blocks.revision from blocks
      where blocks.id = agent_blocks.block_id and agent_blocks.agent_id = ${agentId} and agent_blocks.notify
    ), changed as (
      select ab.label, r.revision,
        coalesce(
          (select array_agg(distinct w.origin) from block_wakes w where w.turn_id = r.turn_id),
          array[r.block_id || ':' || r.revision]
        ) as origins
      from agent_blocks ab
      left join seen_revisions s on s.thread_id = ab.agent_id and s.block_id = ab.block_id
      join block_revisions r on r.block_id = ab.block_id
        and r.revision > greatest(ab.notified_revision, s.revision)
      where ab.agent_id = ${agentId} and ab.notify
        and r.agent_id is distinct from ab.agent_id and r.actor <> 'sleep_time'
    )
    select label, revision, origins from changed
    where exists (
      select from unnest(origins) as wanted (origin)
      where not exists (select from block_wakes w where w.agent_id = ${agentId} and w.origin = wanted.origin)
    )
    order by label, revision`.execute(tx);
  return rows;
}

// Consequences of an edit a week ago have been told by now.
async function forgetOldWakes(tx: Tx, agentId: string): Promise<void> {
  await sql`
    delete from block_wakes using turns
    where block_wakes.agent_id = ${agentId} and turns.id = block_wakes.turn_id
      and turns.completed_at < now() - interval '7 days'`.execute(tx);
}

async function enqueueWake(
  tx: Tx,
  { agentId, turnId, text }: { readonly agentId: string; readonly turnId: string; readonly text: string },
): Promise<void> {
  await enqueueTurn(tx, {
    turnId,
    deliveryId: `delivery-${randomUUID()}`,
    threadId: agentId,
    kind: 'message',
    messages: [
      {
        id: `message-${randomUUID()}`,
        createdAt: new Date(),
        otid: null,
        senderId: null,
        body: { kind: 'system', content: [{ type: 'text', text }] },
      },
    ],
    options: {},
    requestKey: null,
    requestHash: null,
    joinWithinMs: 0,
    steer: false,
  });
}
