import { sql } from 'kysely';
import type { Tx } from '../db/database.js';
import { storable } from '../db/storable.js';

/** By what an import is known when it is asked for again. */
export interface ImportRequest {
  /** The sender's own word, hashed; null where it gave none. */
  readonly key: string | null;
  /** Of the file and all that was wished for it. */
  readonly hash: string;
  /** For a retry: how long ago its first try may have been sent, in ms. 0: it is no retry. */
  readonly joinWithinMs: number;
}

/** What an import has told its sender. */
export interface ImportAnswer {
  /** In the order of the file. */
  readonly agentIds: readonly string[];
  readonly notes: readonly string[];
}

/**
 * What an earlier import of the same request has made: of the same key, or, for a retry, of the same hash within
 * `joinWithinMs`. Waits for one that is being written, and keeps others waiting until the transaction ends.
 */
export async function findImport(tx: Tx, request: ImportRequest): Promise<ImportAnswer | undefined> {
  const { key, hash, joinWithinMs } = request;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key ?? hash}, 0))`.execute(tx);
  if (key === null && joinWithinMs <= 0) return undefined;
  const query = tx.selectFrom('agent_imports').select(['agent_ids', 'notes']);
  const row = await (
    key !== null
      ? query.where('request_key', '=', key)
      : query
          .where('request_hash', '=', hash)
          .where(sql<boolean>`created_at > clock_timestamp() - ${joinWithinMs} * interval '1 millisecond'`)
  )
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { agentIds: row.agent_ids, notes: row.notes };
}

/** Writes down what an import has made, for a day. */
export async function keepImport(tx: Tx, request: ImportRequest, made: ImportAnswer): Promise<void> {
  await sql`delete from agent_imports where created_at < now() - interval '1 day'`.execute(tx);
  await tx
    .insertInto('agent_imports')
    .values({
      request_key: request.key,
      request_hash: request.hash,
      agent_ids: [...made.agentIds],
      notes: made.notes.map(storable),
    })
    .execute();
}
