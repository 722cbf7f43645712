import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { codePoints, defaultBlockLimit, defaultDescription, limitFor } from '../../core/blocks/operations.js';
import type { Block } from '../../core/blocks/blocks.js';
import { type Author, authorColumns } from './authors.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { BlockConflictError, BlockLimitError, BlockNotFoundError, LabelTakenError } from './errors.js';
import { type IdentityOwnership, belongsToIdentity } from '../agents/identity-filter.js';
import { type Page, paged } from '../db/paging.js';
import { containing, storable, storableOrNull, toJson } from '../db/storable.js';
import type { BlocksTable } from './tables.js';

/** A block to create. */
export interface NewBlock {
  /** Absent: random. */
  readonly id?: string | undefined;
  readonly label: string;
  readonly value: string;
  /** In code points. Absent: the default, raised where the value is longer. */
  readonly limit?: number | undefined;
  /** Absent: the default of the label, if any. */
  readonly description?: string | null | undefined;
  readonly readOnly?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
  /** Absent: a user. */
  readonly author?: Author | undefined;
}

/** Changes of a block's fields. `extras` are merged, all else is replaced. */
export interface BlockPatch {
  readonly label?: string | undefined;
  readonly limit?: number | undefined;
  readonly description?: string | null | undefined;
  readonly readOnly?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly extras?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Creates a block with its revision 1. An existing block with this id is returned unchanged. Throws BlockLimitError
 * where the value is longer than the given limit.
 */
export async function createBlock(db: Db | Tx, input: NewBlock): Promise<Block> {
  const value = storable(input.value);
  const limit = limitFor(value, input.limit, defaultBlockLimit(input.label));
  const size = codePoints(value);
  if (size > limit) throw new BlockLimitError({ label: input.label, limit, size });
  return inTransaction(db, async (tx) => {
    const row = await tx
      .insertInto('blocks')
      .values({
        id: input.id ?? `block-${randomUUID()}`,
        label: storable(input.label),
        value,
        value_limit: limit,
        description:
          input.description === undefined
            ? defaultDescription(input.label)
            : storableOrNull(input.description),
        read_only: input.readOnly ?? false,
        metadata: toJson(input.metadata ?? {}),
        tags: (input.tags ?? []).map(storable),
        extras: toJson(input.extras ?? {}),
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return requireBlock(tx, input.id ?? '');
    await insertFirstRevision(tx, row, input.author ?? { actor: 'user' });
    return toBlock(row);
  });
}

async function insertFirstRevision(tx: Tx, row: Selectable<BlocksTable>, author: Author): Promise<void> {
  await tx
    .insertInto('block_revisions')
    .values({
      block_id: row.id,
      revision: row.revision,
      operation: toJson({ kind: 'create' }),
      value: row.value,
      // The first revision is as old as the block, so that the block has a value at its creation.
      created_at: row.created_at,
      ...authorColumns(author),
    })
    .execute();
}

export async function getBlock(db: Db | Tx, blockId: string): Promise<Block | undefined> {
  const row = await db.selectFrom('blocks').selectAll().where('id', '=', blockId).executeTakeFirst();
  return row === undefined ? undefined : toBlock(row);
}

/** Throws BlockNotFoundError. */
export async function requireBlock(db: Db | Tx, blockId: string): Promise<Block> {
  const block = await getBlock(db, blockId);
  if (block === undefined) throw new BlockNotFoundError({ blockId });
  return block;
}

/** Filters for blocks; absent: all. */
export interface BlockFilter extends IdentityOwnership {
  readonly labels?: readonly string[] | undefined;
  /** The name under which the REST API keeps a block as a template. */
  readonly name?: string | undefined;
  /** A part of the label, case-insensitive. */
  readonly inLabel?: string | undefined;
  /** A part of the value, case-insensitive. */
  readonly inValue?: string | undefined;
  /** A part of the description, case-insensitive. */
  readonly inDescription?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Whether a block needs all of the tags rather than any. */
  readonly matchAllTags?: boolean | undefined;
  /** Stored fields of the REST API that must have this value, such as the project. */
  readonly kept?: Readonly<Record<string, unknown>> | undefined;
  /** Whether hidden blocks are included. Default true. */
  readonly showsHidden?: boolean | undefined;
  /** The number of agents that have the block: one of these, more than, less than. */
  readonly agents?:
    | {
        readonly among?: readonly number[] | undefined;
        readonly over?: number | undefined;
        readonly under?: number | undefined;
      }
    | undefined;
}

/** Blocks by creation, paged. */
export async function listBlocks(db: Db | Tx, filter: BlockFilter, page: Page): Promise<readonly Block[]> {
  const rows = await paged('blocks', filtered(db, filter).selectAll(), page);
  return rows.map((row) => toBlock(row));
}

export async function countBlocks(db: Db | Tx, filter: BlockFilter = {}): Promise<number> {
  const row = await filtered(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

function filtered(db: Db | Tx, filter: BlockFilter) {
  let query = db.selectFrom('blocks');
  if (filter.labels !== undefined) query = query.where('label', '=', sql<string>`any(${[...filter.labels]})`);
  if (filter.name !== undefined) query = query.where(sql`extras->>'name'`, '=', filter.name);
  if (filter.inLabel !== undefined) query = query.where('label', 'ilike', containing(filter.inLabel));
  if (filter.inValue !== undefined) query = query.where('value', 'ilike', containing(filter.inValue));
  if (filter.tags !== undefined && filter.tags.length > 0) {
    const operator = sql.raw(filter.matchAllTags === true ? '@>' : '&&');
    query = query.where(sql<boolean>`tags ${operator} ${[...filter.tags]}::text[]`);
  }
  if (filter.inDescription !== undefined) {
    query = query.where('description', 'ilike', containing(filter.inDescription));
  }
  if (filter.kept !== undefined) {
    query = query.where(sql<boolean>`extras @> ${toJson(filter.kept)}::jsonb`);
  }
  if (filter.showsHidden === false) query = query.where(sql<boolean>`not extras @> '{"hidden":true}'`);
  const { among, over, under } = filter.agents ?? {};
  const holders = sql<number>`(select count(*) from agent_blocks join agents on agents.id = agent_blocks.agent_id
    where agent_blocks.block_id = blocks.id and agents.deleted_at is null)`;
  if (among !== undefined) query = query.where(sql<boolean>`${holders} = any(${[...among]}::integer[])`);
  if (over !== undefined) query = query.where(holders, '>', over);
  if (under !== undefined) query = query.where(holders, '<', under);
  const isWanted = belongsToIdentity('block', filter);
  if (isWanted !== undefined) query = query.where(isWanted);
  return query;
}

/**
 * Changes a block's fields, including its label for every agent that has it. Only `changeBlock` changes its value.
 * Throws BlockNotFoundError, and LabelTakenError where one of its agents has another block with that label.
 */
export async function updateBlockFields(db: Db | Tx, blockId: string, patch: BlockPatch): Promise<Block> {
  return inTransaction(db, async (tx) => {
    if (patch.label !== undefined) await relabel(tx, blockId, storable(patch.label));
    const { metadata, extras } = patch;
    const row = await tx
      .updateTable('blocks')
      .set({
        updated_at: sql<Date>`now()`,
        ...(patch.label !== undefined && { label: storable(patch.label) }),
        ...(patch.limit !== undefined && { value_limit: patch.limit }),
        ...(patch.description !== undefined && { description: storableOrNull(patch.description) }),
        ...(patch.readOnly !== undefined && { read_only: patch.readOnly }),
        ...(metadata !== undefined && { metadata: toJson(metadata) }),
        ...(patch.tags !== undefined && { tags: patch.tags.map(storable) }),
        ...(extras !== undefined && { extras: sql<string>`extras || ${toJson(extras)}::jsonb` }),
      })
      .where('id', '=', blockId)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw new BlockNotFoundError({ blockId });
    return toBlock(row);
  });
}

async function relabel(tx: Tx, blockId: string, label: string): Promise<void> {
  const taken = await tx
    .selectFrom('agent_blocks as mine')
    .innerJoin('agent_blocks as other', 'other.agent_id', 'mine.agent_id')
    .select('other.agent_id')
    .where('mine.block_id', '=', blockId)
    .where('other.block_id', '<>', blockId)
    .where('other.label', '=', label)
    .executeTakeFirst();
  if (taken !== undefined) throw new LabelTakenError(label, taken.agent_id);
  await tx.updateTable('agent_blocks').set({ label }).where('block_id', '=', blockId).execute();
}

/**
 * Deletes a block with its revisions and detaches it from all agents; with `ifRevision`, only if that is current.
 * Returns the deleted block. Throws BlockNotFoundError and BlockConflictError.
 */
export async function deleteBlock(db: Db | Tx, blockId: string, ifRevision?: number): Promise<Block> {
  let query = db.deleteFrom('blocks').where('id', '=', blockId);
  if (ifRevision !== undefined) query = query.where('revision', '=', ifRevision);
  const row = await query.returningAll().executeTakeFirst();
  if (row === undefined) throw new BlockConflictError(await requireBlock(db, blockId));
  return toBlock(row);
}

/** `isAttachedReadOnly`: whether the agent concerned may only read it. */
export function toBlock(row: Selectable<BlocksTable>, isAttachedReadOnly = false): Block {
  return {
    id: row.id,
    label: row.label,
    value: row.value,
    limit: row.value_limit,
    description: row.description,
    readOnly: row.read_only || isAttachedReadOnly,
    metadata: row.metadata,
    tags: row.tags,
    revision: row.revision,
    extras: row.extras,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
