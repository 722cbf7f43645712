import { sql } from 'kysely';
import type { Tx } from '../db/database.js';
import { storable } from '../db/storable.js';

/** Identifies an import when it is requested again. */
export interface ImportRequest {
  /** The sender's idempotency key, hashed; null: none. */
  readonly key: string | null;
  /** Hash of the file and all options. */
  readonly hash: string;
  /** For a retry: how long ago the first try may have been sent, in ms. 0: no retry. */
  readonly joinWithinMs: number;
}

/** The response to an import. */
export interface ImportAnswer {
  /** In the order of the file. */
  readonly agentIds: readonly string[];
  readonly notes: readonly string[];
}

/**
 * The result of an earlier import of the same request, if one of its agents is still there: the same key or, for a
 * retry, the same hash within `joinWithinMs`. Waits for a concurrent import, and locks out others until the transaction ends.
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
    .where(
      sql<boolean>`exists (select from agents where agents.id = any(agent_ids) and agents.deleted_at is null)`,
    )
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { agentIds: row.agent_ids, notes: row.notes };
}

/** Records what an import created, for a day, in the place of an earlier answer whose agents are gone. */
export async function keepImport(tx: Tx, request: ImportRequest, made: ImportAnswer): Promise<void> {
  await sql`delete from agent_imports
    where created_at < now() - interval '1 day' or request_key = ${request.key}`.execute(tx);
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
