import type { Db, Tx } from '../db/database.js';

/** A request to a summariser, by its fingerprint, for a thread's eviction. */
export interface ChunkQuestion {
  readonly threadId: string;
  readonly fingerprint: string;
}

/** The stored answer to this request, from an earlier attempt of the same eviction. */
export async function findChunkSummary(db: Db | Tx, question: ChunkQuestion): Promise<string | undefined> {
  const row = await db
    .selectFrom('chunk_summaries')
    .select('summary')
    .where('thread_id', '=', question.threadId)
    .where('fingerprint', '=', question.fingerprint)
    .executeTakeFirst();
  return row?.summary;
}

/** Stores a paid answer until the eviction is finished, so that a retry need not pay again. */
export async function keepChunkSummary(tx: Tx, question: ChunkQuestion, summary: string): Promise<void> {
  await tx
    .insertInto('chunk_summaries')
    .values({ thread_id: question.threadId, fingerprint: question.fingerprint, summary })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Deletes the stored answers of a finished eviction. */
export async function dropChunkSummaries(tx: Tx, threadId: string): Promise<void> {
  await tx.deleteFrom('chunk_summaries').where('thread_id', '=', threadId).execute();
}
