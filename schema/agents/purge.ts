import { sql } from 'kysely';
import { deleteAgent } from './agents.js';
import { allowTime, type Db, inTransaction, type Tx } from '../db/database.js';
import { sleepTimeGroup } from '../groups/groups.js';

/**
 * Deletes an agent, and with it, at once, the partners that refine its memory: they have nothing to do without it.
 * Returns the ids of all that were deleted; their rows are purged later. Throws AgentNotFoundError.
 */
export async function deleteWithPartners(db: Db | Tx, agentId: string): Promise<readonly string[]> {
  return inTransaction(db, async (tx) => {
    const partners = (await sleepTimeGroup(tx, agentId))?.agentIds ?? [];
    const agentIds = [agentId, ...partners];
    for (const id of agentIds) await deleteAgent(tx, id);
    return agentIds;
  });
}

/**
 * Removes all rows of a deleted agent: threads, messages, turns, its own archive where no other agent has it, and
 * the summaries of its conversations. Blocks that were its core memory live on. Harmless when repeated, and on an
 * agent that isn't deleted. Told to stop, it leaves the rest for another time.
 */
export async function purgeAgent(db: Db | Tx, agentId: string, signal?: AbortSignal): Promise<void> {
  // What there may be much of goes in parts: no statement lasts long, and nobody waits for it.
  for (const { table, rows } of parts) {
    while (await removePart(db, agentId, table, rows)) if (signal?.aborted === true) return;
  }
  await inTransaction(db, async (tx) => {
    await allowTime(tx);
    // Threads first, as every writer does.
    await sql`select id from threads where agent_id = ${agentId} order by id for update`.execute(tx);
    const deleted = await tx
      .selectFrom('agents')
      .select('id')
      .where('id', '=', agentId)
      .where('deleted_at', 'is not', null)
      .forUpdate()
      .executeTakeFirst();
    if (deleted === undefined) return;
    await sql`
      delete from archives using agent_archives mine
      where mine.archive_id = archives.id and mine.agent_id = ${agentId} and mine.is_owner and not exists (
        select from agent_archives other where other.archive_id = archives.id and other.agent_id <> ${agentId}
      )`.execute(tx);
    await sql`
      delete from blocks using threads
      where threads.agent_id = ${agentId} and blocks.id = threads.summary_block_id`.execute(tx);
    await tx.deleteFrom('agents').where('id', '=', agentId).execute();
  });
}

const parts = [
  { table: 'messages', rows: 2_000 },
  // With their deliveries, steps, effects and events.
  { table: 'turns', rows: 200 },
] as const;

/** Removes some rows of a deleted agent. Returns whether there may be more. */
async function removePart(
  db: Db | Tx,
  agentId: string,
  table: (typeof parts)[number]['table'],
  rows: number,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Threads first, as every writer does.
    await sql`select id from threads where agent_id = ${agentId} order by id for update`.execute(tx);
    const removed = await sql`
      delete from ${sql.table(table)} where id in (
        select ${sql.table(table)}.id from ${sql.table(table)} join agents on agents.id = agent_id
        where agent_id = ${agentId} and agents.deleted_at is not null limit ${rows})`.execute(tx);
    return Number(removed.numAffectedRows ?? 0n) === rows;
  });
}

/** Purges agents that were deleted before a moment, some at a time, until it is told to stop. */
export async function purgeDeleted(db: Db, before: Date, signal?: AbortSignal): Promise<void> {
  const agents = await db
    .selectFrom('agents')
    .select('id')
    .where('deleted_at', '<', before)
    .limit(20)
    .execute();
  for (const { id } of agents) {
    if (signal?.aborted === true) return;
    await purgeAgent(db, id, signal);
  }
}
