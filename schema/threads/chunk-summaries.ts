import type { Db, Tx } from '../db/database.js';

/** What a summariser was asked, by its fingerprint, in the course of a thread's eviction. */
export interface ChunkQuestion {
  readonly threadId: string;
  readonly fingerprint: string;
}

/** The summariser's answer, where it was asked this before and the eviction has not been finished since. */
export async function findChunkSummary(db: Db | Tx, question: ChunkQuestion): Promise<string | undefined> {
  const row = await db
    .selectFrom('chunk_summaries')
    .select('summary')
    .where('thread_id', '=', question.threadId)
    .where('fingerprint', '=', question.fingerprint)
    .executeTakeFirst();
  return row?.summary;
}

/** Keeps an answer that was paid for until the eviction is finished, so that a retry need not pay again. */
export async function keepChunkSummary(tx: Tx, question: ChunkQuestion, summary: string): Promise<void> {
  await tx
    .insertInto('chunk_summaries')
    .values({ thread_id: question.threadId, fingerprint: question.fingerprint, summary })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lets go of what an eviction had summarised so far: its summary is written. */
export async function dropChunkSummaries(tx: Tx, threadId: string): Promise<void> {
  await tx.deleteFrom('chunk_summaries').where('thread_id', '=', threadId).execute();
}
