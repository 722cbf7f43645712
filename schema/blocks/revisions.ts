import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Actor, RevisionOperation } from '../../core/blocks/blocks.js';
import type { Db, Tx } from '../db/database.js';
import { RevisionNotFoundError } from './errors.js';
import type { Tables } from '../db/tables.js';
import type { BlockRevisionsTable } from './tables.js';

/** A change of a block: its author, its step, and the whole value after it. */
export interface BlockRevision {
  readonly blockId: string;
  /** 1 is the block's creation. */
  readonly revision: number;
  readonly operation: RevisionOperation;
  readonly value: string;
  readonly actor: Actor;
  readonly agentId: string | null;
  readonly turnId: string | null;
  readonly stepId: string | null;
  readonly toolCallId: string | null;
  readonly createdAt: Date;
  /** `createdAt` to the microsecond, as ISO 8601, because several revisions may share a millisecond. */
  readonly moment: string;
}

/** A range of a block's revisions. Cursors are revision numbers. */
export interface RevisionRange {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  /** Default 50. */
  readonly limit?: number | undefined;
  /** Default 'desc': newest first. */
  readonly order?: 'asc' | 'desc' | undefined;
}

/** A block's revisions between `before` and `after`, in the chosen order. */
export async function listRevisions(
  db: Db | Tx,
  blockId: string,
  range: RevisionRange = {},
): Promise<readonly BlockRevision[]> {
  let query = selectRevisions(db).where('block_id', '=', blockId);
  if (range.before !== undefined) query = query.where('revision', '<', range.before);
  if (range.after !== undefined) query = query.where('revision', '>', range.after);
  const rows = await query
    .orderBy('revision', range.order ?? 'desc')
    .limit(range.limit ?? 50)
    .execute();
  return rows.map(toRevision);
}

export async function getRevision(
  db: Db | Tx,
  blockId: string,
  revision: number,
): Promise<BlockRevision | undefined> {
  const row = await selectRevisions(db)
    .where('block_id', '=', blockId)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row === undefined ? undefined : toRevision(row);
}

/** Revisions of a block by their numbers, without unknown ones. */
export async function getRevisions(
  db: Db | Tx,
  blockId: string,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, BlockRevision>> {
  const rows = await selectRevisions(db)
    .where('block_id', '=', blockId)
    .where('revision', '=', sql<number>`any(${[...new Set(numbers)]})`)
    .execute();
  return new Map(rows.map((row) => [row.revision, toRevision(row)]));
}

/** Throws RevisionNotFoundError. */
export async function requireRevision(
  db: Db | Tx,
  blockId: string,
  revision: number,
): Promise<BlockRevision> {
  const found = await getRevision(db, blockId, revision);
  if (found === undefined) throw new RevisionNotFoundError(blockId, revision);
  return found;
}

/**
 * The revision that was current at a moment: a `Date`, or ISO 8601 to the microsecond. A moment in milliseconds means
 * the end of its millisecond, so that a revision is current at its own `createdAt`. Throws RevisionNotFoundError
 * where the block did not exist yet.
 */
export async function revisionAsOf(
  db: Db | Tx,
  blockId: string,
  moment: Date | string,
): Promise<BlockRevision> {
  const text = typeof moment === 'string' ? moment : moment.toISOString();
  const width = /\.\d{4,}/.test(text) ? '0' : '999 microseconds';
  const row = await selectRevisions(db)
    .where('block_id', '=', blockId)
    .where('created_at', '<=', sql<Date>`${text}::timestamptz + ${width}::interval`)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) throw new RevisionNotFoundError(blockId, text);
  return toRevision(row);
}

type RevisionRow = Selectable<BlockRevisionsTable> & { readonly moment: string };

/** Revisions with all columns that `toRevision` needs. */
export function selectRevisions(db: Db | Tx): SelectQueryBuilder<Tables, 'block_revisions', RevisionRow> {
  return db
    .selectFrom('block_revisions')
    .selectAll('block_revisions')
    .select(
      sql<string>`to_char(block_revisions.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`.as(
        'moment',
      ),
    );
}

export function toRevision(row: RevisionRow): BlockRevision {
  return {
    blockId: row.block_id,
    revision: row.revision,
    operation: row.operation,
    value: row.value,
    actor: row.actor,
    agentId: row.agent_id,
    turnId: row.turn_id,
    stepId: row.step_id,
    toolCallId: row.tool_call_id,
    createdAt: row.created_at,
    moment: row.moment,
  };
}
