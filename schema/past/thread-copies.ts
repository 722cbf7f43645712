import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { type AgentCopy, copySummary } from './block-copies.js';
import type { Tx } from '../db/database.js';
import { endAt, type Moment } from './moments.js';
import type { ThreadsTable } from '../threads/tables.js';

/**
 * Copies the threads that an agent had at a moment, with transcript, queue and summary, to another agent. Epochs are
 * not copied: their prefix names the original, so the copy compiles its own.
 */
export async function copyThreads(tx: Tx, { from, to, moment }: AgentCopy): Promise<void> {
  const threads = await tx
    .selectFrom('threads')
    .selectAll()
    .where('agent_id', '=', from)
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.or([eb('is_default', '=', true), eb('created_at', '<=', sql<Date>`${moment.time}::timestamptz`)]),
    )
    .orderBy('created_at')
    .execute();
  for (const thread of threads) {
    await copyThread(tx, thread, {
      moment,
      agentId: to,
      id: thread.is_default ? to : `conv-${randomUUID()}`,
    });
  }
}

async function copyThread(
  tx: Tx,
  thread: Selectable<ThreadsTable>,
  copy: { readonly id: string; readonly agentId: string; readonly moment: Moment },
): Promise<void> {
  const { id, agentId, moment } = copy;
  const end = await endAt(tx, thread.id, moment);
  const queue = await queueAt(tx, thread.id, moment);
  await sql`
    insert into threads (id, agent_id, is_default, next_position, learned_window, learned_model, extras, archived_at)
    select ${id}, ${agentId}, is_default, ${end + 1}, learned_window, learned_model, extras, archived_at
    from threads where id = ${thread.id}`.execute(tx);
  const kept = sql.raw(
    'position, ordinal, kind, body, words, tokens, sender_id, identifiers, embedding, embedding_model, created_at, placed_at',
  );
  await sql`
    insert into messages (id, agent_id, thread_id, ${kept})
    select 'message-' || gen_random_uuid(), ${agentId}, ${id}, ${kept}
    from messages where thread_id = ${thread.id} and position <= ${end}`.execute(tx);
  await tx
    .updateTable('threads')
    .set({
      queue_start: Math.min(queue.start, end + 1),
      summary_block_id: await copySummary(tx, queue.summaryBlockId, moment),
    })
    .where('id', '=', id)
    .execute();
}

async function queueAt(
  tx: Tx,
  threadId: string,
  { time }: Moment,
): Promise<{ readonly start: number; readonly summaryBlockId: string | null }> {
  const move = await tx
    .selectFrom('queue_moves')
    .select(['queue_start', 'summary_block_id'])
    .where('thread_id', '=', threadId)
    .where('moved_at', '<=', sql<Date>`${time}::timestamptz`)
    .orderBy('moved_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { start: move?.queue_start ?? 1, summaryBlockId: move?.summary_block_id ?? null };
}
