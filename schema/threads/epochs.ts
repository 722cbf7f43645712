import { sql } from 'kysely';
import { typesWithoutBlocks } from '../../core/agents/agents.js';
import type { MemoryFigures } from '../../core/threads/memory-figures.js';
import type { ToolSchema } from '../../core/models/model.js';
import type { ChangeAuthor } from '../../core/threads/notices.js';
import type { Db, Tx } from '../db/database.js';
import { pinnedIds } from '../archives/pins.js';

/** A stretch in which the prompt's prefix stays byte-identical. */
export interface Epoch {
  readonly id: string;
  readonly prefix: string;
  readonly tools: readonly ToolSchema[];
  /** Identifies what the prefix was compiled from. A different one requires a new epoch. */
  readonly fingerprint: string;
  readonly figures: MemoryFigures;
  /** Characters of the notices within the epoch. */
  readonly noticeCharacters: number;
}

/** The thread's current epoch; undefined: none yet. */
export async function currentEpoch(db: Db | Tx, threadId: string): Promise<Epoch | undefined> {
  const { rows } = await sql<Epoch>`
    select e.id, e.prefix, e.tools, e.fingerprint, e.figures, e.notice_characters as "noticeCharacters"
    from threads join epochs e on e.id = threads.epoch_id where threads.id = ${threadId}`.execute(db);
  return rows[0];
}

/**
 * Begins an epoch and records which revisions of its blocks the thread has seen. Epochs of earlier days are removed.
 */
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
  // The thread is locked and its only turn is at this step, so nothing reads an earlier epoch.
  await sql`
    delete from epochs
    where thread_id = ${threadId} and id <> ${epoch.id} and created_at < now() - interval '1 day'`.execute(
    tx,
  );
}

/** Records which revision of each block the thread's transcript shows. */
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

/** An attached block, and what the thread's transcript shows of it. */
export interface AttachedBlock {
  readonly blockId: string;
  readonly label: string;
  readonly description: string | null;
  readonly limit: number;
  readonly readOnly: boolean;
  readonly revision: number;
  /** Characters of its value. */
  readonly size: number;
  /** What the transcript does not show yet; null: nothing. */
  readonly change: UnseenChange | null;
}

/** A change of a block that the thread has not been shown. */
export interface UnseenChange {
  readonly value: string;
  /** The value in the transcript; null: the block is not shown. */
  readonly seenValue: string | null;
  readonly authors: readonly ChangeAuthor[];
}

/** The blocks of the agent's prompt in order, each with its unseen change, in one query. */
export async function attachedBlocks(
  db: Db | Tx,
  thread: { id: string; agentId: string },
): Promise<readonly AttachedBlock[]> {
  // Reads values only where they changed.
  const result = await sql<AttachedBlock>`
    select b.id as "blockId", ab.label, b.description, b.value_limit as "limit",
      (b.read_only or ab.read_only) as "readOnly", b.revision, char_length(b.value) as size,
      case when s.revision is distinct from b.revision then jsonb_build_object(
        'value', b.value,
        'seenValue', (select value from block_revisions where block_id = b.id and revision = s.revision),
        'authors', coalesce((
          select jsonb_agg(distinct jsonb_build_object('actor', r.actor, 'agentId', r.agent_id, 'name', a.name))
          from block_revisions r left join agents a on a.id = r.agent_id
          where r.block_id = b.id and r.revision > s.revision
        ), '[]')
      ) end as change
    from agent_blocks ab
    join blocks b on b.id = ab.block_id
    join agents me on me.id = ab.agent_id
    left join seen_revisions s on s.thread_id = ${thread.id} and s.block_id = b.id
    where ab.agent_id = ${thread.agentId} and me.agent_type <> all(${[...typesWithoutBlocks]})
    order by ab.position, ab.label`.execute(db);
  return result.rows;
}

/** The memory figures of a thread, from counters, so the cost does not grow with the thread. */
export async function countMemory(
  db: Db | Tx,
  thread: { id: string; agentId: string },
): Promise<MemoryFigures> {
  const result = await sql<MemoryFigures & { readonly pinned: readonly string[] | null }>`
    select ${pinnedIds(thread.agentId)} as pinned,
      (select recall_messages from threads where id = ${thread.id}) as "recallMessages",
      (select coalesce(sum(passages), 0)::bigint from archives where id in
        (select archive_id from agent_archives where agent_id = ${thread.agentId})) +
      (select coalesce(sum(files.chunks), 0)::bigint from agent_sources join files using (source_id)
        where agent_sources.agent_id = ${thread.agentId} and files.state = 'completed') as "archivalPassages"`.execute(
    db,
  );
  const { pinned = null, ...counted } = result.rows[0] ?? { recallMessages: 0, archivalPassages: 0 };
  return pinned === null ? counted : { ...counted, pinned };
}

/** The revision of each block that the thread's transcript shows, by block id. */
export async function listSeenRevisions(db: Db | Tx, threadId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('seen_revisions')
    .select(['block_id', 'revision'])
    .where('thread_id', '=', threadId)
    .execute();
  return new Map(rows.map((row) => [row.block_id, row.revision]));
}

/** The block of a label that the thread's agent has, with the revision of it that the transcript shows, if any. */
export async function findSeenBlock(
  db: Db | Tx,
  thread: { readonly id: string; readonly agentId: string },
  label: string,
): Promise<{ readonly blockId: string; readonly seenRevision?: number } | undefined> {
  const { rows } = await sql<{ blockId: string; revision: number | null }>`
    select ab.block_id as "blockId", s.revision
    from agent_blocks ab left join seen_revisions s on s.thread_id = ${thread.id} and s.block_id = ab.block_id
    where ab.agent_id = ${thread.agentId} and ab.label = ${label}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  return { blockId: row.blockId, ...(row.revision === null ? {} : { seenRevision: row.revision }) };
}

/** Records what an epoch's notices told. */
export async function recordNotices(
  tx: Tx,
  epochId: string,
  told: { readonly figures: MemoryFigures; readonly noticeCharacters: number },
): Promise<void> {
  await tx
    .updateTable('epochs')
    .set({ figures: JSON.stringify(told.figures), notice_characters: told.noticeCharacters })
    .where('id', '=', epochId)
    .execute();
}

/** Whether the thread's queue mentions blocks: by a notice, or in a tool's result. */
export async function queueTellsOfBlocks(
  tx: Tx,
  thread: { id: string; queueStart: number },
): Promise<boolean> {
  const row = await tx
    .selectFrom('messages')
    .select('id')
    .where('thread_id', '=', thread.id)
    .where('position', '>=', thread.queueStart)
    .where('kind', 'in', ['notice', 'tool'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
