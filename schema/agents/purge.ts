import { sql } from 'kysely';
import { deleteAgent } from './agents.js';
import { allowTime, type Db, inTransaction, type Tx } from '../db/database.js';
import { sleepTimeGroup } from '../groups/groups.js';

/**
 * Deletes an agent and its sleep-time partners, which have no work without it. Returns the ids of all deleted agents.
 * Their rows are purged later. Throws AgentNotFoundError.
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
 * Removes all rows of a deleted agent: threads, messages, turns, its own archive unless another agent has it, and the
 * summaries of its conversations. Blocks of its core memory are kept. Does nothing on an agent that isn't deleted,
 * and is harmless when repeated. After the signal it stops; a later call removes the rest.
 */
export async function purgeAgent(db: Db | Tx, agentId: string, signal?: AbortSignal): Promise<void> {
  // Large tables are removed in parts, so that no statement takes long and holds up others.
  for (const { table, rows } of parts) {
    while (await removePart(db, agentId, table, rows)) if (signal?.aborted === true) return;
  }
  await inTransaction(db, async (tx) => {
    await allowTime(tx);
    // Locks threads first, as every writer does.
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
  // Includes their deliveries, steps, effects and events.
  { table: 'turns', rows: 200 },
] as const;

/** Removes a batch of a deleted agent's rows. Returns whether more may be left. */
async function removePart(
  db: Db | Tx,
  agentId: string,
  table: (typeof parts)[number]['table'],
  rows: number,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Locks threads first, as every writer does.
    await sql`select id from threads where agent_id = ${agentId} order by id for update`.execute(tx);
    const removed = await sql`
      delete from ${sql.table(table)} where id in (
        select ${sql.table(table)}.id from ${sql.table(table)} join agents on agents.id = agent_id
        where agent_id = ${agentId} and agents.deleted_at is not null limit ${rows})`.execute(tx);
    return Number(removed.numAffectedRows ?? 0n) === rows;
  });
}

/** Purges agents that were deleted before a moment, in batches, until stopped. */
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
