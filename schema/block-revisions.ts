import type { Selectable } from 'kysely';
import type { Actor, BlockOperation } from '../core/blocks.js';
import type { Db, Tx } from './database.js';
import type { BlockRevisionsTable } from './tables.js';

/** One change of a block: who made it, in the course of what, and the whole value after it. */
export interface BlockRevision {
  readonly blockId: string;
  /** 1 is the block's creation. */
  readonly revision: number;
  readonly operation: BlockOperation | { readonly kind: 'create' };
  readonly value: string;
  readonly actor: Actor;
  readonly agentId: string | null;
  readonly turnId: string | null;
  readonly stepId: string | null;
  readonly toolCallId: string | null;
  readonly createdAt: Date;
}

/** A block's revisions, newest first; `before` a revision, `limit` (default 50) at most. */
export async function listRevisions(
  db: Db | Tx,
  blockId: string,
  range: { readonly before?: number | undefined; readonly limit?: number | undefined } = {},
): Promise<readonly BlockRevision[]> {
  let query = db.selectFrom('block_revisions').selectAll().where('block_id', '=', blockId);
  if (range.before !== undefined) query = query.where('revision', '<', range.before);
  const rows = await query
    .orderBy('revision', 'desc')
    .limit(range.limit ?? 50)
    .execute();
  return rows.map(toRevision);
}

export async function getRevision(
  db: Db | Tx,
  blockId: string,
  revision: number,
): Promise<BlockRevision | undefined> {
  const row = await db
    .selectFrom('block_revisions')
    .selectAll()
    .where('block_id', '=', blockId)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row === undefined ? undefined : toRevision(row);
}

function toRevision(row: Selectable<BlockRevisionsTable>): BlockRevision {
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
  };
}
