import { sql } from 'kysely';
import type { ToolSchema } from '../core/model.js';
import type { Db, Tx } from './database.js';
import type { MemoryFigures } from './records.js';

/** A stretch in which the prompt's prefix stays byte-identical. */
export interface Epoch {
  readonly id: string;
  readonly prefix: string;
  readonly tools: readonly ToolSchema[];
  /** Of what the prefix was made from; another one means another epoch. */
  readonly fingerprint: string;
  readonly figures: MemoryFigures;
}

/** The epoch that the thread is in; undefined before its first. */
export async function currentEpoch(db: Db | Tx, threadId: string): Promise<Epoch | undefined> {
  const row = await db
    .selectFrom('threads')
    .innerJoin('epochs', 'epochs.id', 'threads.epoch_id')
    .selectAll('epochs')
    .where('threads.id', '=', threadId)
    .executeTakeFirst();
  return row === undefined
    ? undefined
    : {
        id: row.id,
        prefix: row.prefix,
        tools: row.tools,
        fingerprint: row.fingerprint,
        figures: row.figures,
      };
}

/** Begins an epoch: from here on the thread has seen these revisions of its blocks. */
export async function startEpoch(
  tx: Tx,
  threadId: string,
  epoch: Epoch,
  seen: readonly { readonly blockId: string; readonly revision: number }[],
): Promise<void> {
  await tx
    .insertInto('epochs')
    .values({
      id: epoch.id,
      thread_id: threadId,
      prefix: epoch.prefix,
      tools: JSON.stringify(epoch.tools),
      fingerprint: epoch.fingerprint,
      figures: JSON.stringify(epoch.figures),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx.updateTable('threads').set({ epoch_id: epoch.id }).where('id', '=', threadId).execute();
  await markSeen(tx, threadId, seen);
}

/** Writes down which revision of each block the thread's transcript shows. */
export async function markSeen(
  tx: Tx,
  threadId: string,
  seen: readonly { readonly blockId: string; readonly revision: number }[],
): Promise<void> {
  if (seen.length === 0) return;
  await tx
    .insertInto('seen_revisions')
    .values(seen.map(({ blockId, revision }) => ({ thread_id: threadId, block_id: blockId, revision })))
    .onConflict((conflict) =>
      conflict
        .columns(['thread_id', 'block_id'])
        .doUpdateSet((eb) => ({ revision: eb.ref('excluded.revision') })),
    )
    .execute();
}

/** A block that is not as the thread's transcript shows it. */
export interface StaleBlock {
  readonly blockId: string;
  readonly label: string;
  readonly revision: number;
  readonly value: string;
  /** What the transcript shows; null where the block was attached later. */
  readonly seenValue: string | null;
}

/** The agent's blocks that changed, or were attached, since the thread last saw them. */
export async function staleBlocks(
  db: Db | Tx,
  thread: { id: string; agentId: string },
): Promise<readonly StaleBlock[]> {
  const result = await sql<StaleBlock>`
    select b.id as "blockId", ab.label, b.revision, b.value, r.value as "seenValue"
    from agent_blocks ab
    join blocks b on b.id = ab.block_id
    left join seen_revisions s on s.thread_id = ${thread.id} and s.block_id = b.id
    left join block_revisions r on r.block_id = b.id and r.revision = s.revision
    where ab.agent_id = ${thread.agentId} and s.revision is distinct from b.revision
    order by ab.position, ab.label`.execute(db);
  return result.rows;
}

/** How much memory the thread has outside its context, from counters: it costs the same at any age. */
export async function countMemory(
  db: Db | Tx,
  thread: { id: string; agentId: string },
): Promise<MemoryFigures> {
  const result = await sql<MemoryFigures>`
    select
      (select recall_messages from threads where id = ${thread.id}) as "recallMessages",
      (select coalesce(sum(passages), 0)::bigint from archives where id in
        (select archive_id from agent_archives where agent_id = ${thread.agentId})) as "archivalPassages"`.execute(
    db,
  );
  return result.rows[0] ?? { recallMessages: 0, archivalPassages: 0 };
}

/** The revision of each block that the thread's transcript shows, by the block's id. */
export async function listSeenRevisions(db: Db | Tx, threadId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('seen_revisions')
    .select(['block_id', 'revision'])
    .where('thread_id', '=', threadId)
    .execute();
  return new Map(rows.map((row) => [row.block_id, row.revision]));
}

/** Writes down the memory figures that an epoch's transcript told last. */
export async function tellEpochFigures(tx: Tx, epochId: string, figures: MemoryFigures): Promise<void> {
  await tx
    .updateTable('epochs')
    .set({ figures: JSON.stringify(figures) })
    .where('id', '=', epochId)
    .execute();
}
