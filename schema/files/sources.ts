import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { allowTime, type Db, inTransaction, type Tx } from '../db/database.js';
import { SourceNameTakenError, SourceNotFoundError } from './errors.js';
import { type Page, paged } from '../db/paging.js';
import { storable, storableOrNull, toJson } from '../db/storable.js';
import type { SourcesTable } from './tables.js';
import { isUniqueViolation } from '../db/unique-violation.js';

/** A named collection of files that agents can have: Letta's source, or folder. */
export interface Source {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Tells the agents that have it how to use it. */
  readonly instructions: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Handle of the model that embeds its passages. */
  readonly embedding: string;
  /** The most tokens of a passage. */
  readonly chunkSize: number;
  /** The most tokens that a passage repeats from the one before. */
  readonly chunkOverlap: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A source to create. */
export interface NewSource {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly instructions?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly embedding: string;
  readonly chunkSize: number;
  readonly chunkOverlap: number;
}

/** Changes of a source; absent fields stay. How its files are cut and embedded can't change. */
export interface SourceChange {
  readonly name?: string;
  readonly description?: string | null;
  readonly instructions?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Throws SourceNameTakenError. */
export async function createSource(db: Db | Tx, input: NewSource): Promise<Source> {
  const name = storable(input.name);
  const row = await db
    .insertInto('sources')
    .values({
      id: `source-${randomUUID()}`,
      name,
      description: storableOrNull(input.description ?? null),
      instructions: storableOrNull(input.instructions ?? null),
      metadata: toJson(input.metadata ?? {}),
      embedding: storable(input.embedding),
      chunk_size: input.chunkSize,
      chunk_overlap: input.chunkOverlap,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new SourceNameTakenError(name);
  return toSource(row);
}

/** Throws SourceNotFoundError. */
export async function requireSource(db: Db | Tx, sourceId: string): Promise<Source> {
  const row = await db.selectFrom('sources').selectAll().where('id', '=', sourceId).executeTakeFirst();
  if (row === undefined) throw new SourceNotFoundError(sourceId);
  return toSource(row);
}

/** Throws SourceNotFoundError. */
export async function requireSourceByName(db: Db | Tx, name: string): Promise<Source> {
  const row = await db.selectFrom('sources').selectAll().where('name', '=', name).executeTakeFirst();
  if (row === undefined) throw new SourceNotFoundError(name);
  return toSource(row);
}

/** Sources by creation, paged; with `name`, only that one. */
export async function listSources(
  db: Db | Tx,
  filter: { readonly name?: string | undefined },
  page: Page,
): Promise<readonly Source[]> {
  let query = db.selectFrom('sources').selectAll();
  if (filter.name !== undefined) query = query.where('name', '=', filter.name);
  return (await paged('sources', query, page)).map(toSource);
}

export async function countSources(db: Db | Tx): Promise<number> {
  const row = await db
    .selectFrom('sources')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Throws SourceNotFoundError and SourceNameTakenError. */
export async function updateSource(db: Db | Tx, sourceId: string, change: SourceChange): Promise<Source> {
  const { name, description, instructions, metadata } = change;
  const row = await db
    .updateTable('sources')
    .set({
      ...(name === undefined ? {} : { name: storable(name) }),
      ...(description === undefined ? {} : { description: storableOrNull(description) }),
      ...(instructions === undefined ? {} : { instructions: storableOrNull(instructions) }),
      ...(metadata === undefined ? {} : { metadata: toJson(metadata) }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', sourceId)
    .returningAll()
    .executeTakeFirst()
    .catch((error: unknown) => {
      // The only unique columns are ids and names.
      if (name !== undefined && isUniqueViolation(error)) throw new SourceNameTakenError(name);
      throw error;
    });
  if (row === undefined) throw new SourceNotFoundError(sourceId);
  return toSource(row);
}

/** Deletes a source with its files and passages, for all agents. Throws SourceNotFoundError. */
export async function deleteSource(db: Db | Tx, sourceId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await allowTime(tx);
    const row = await tx.deleteFrom('sources').where('id', '=', sourceId).returning('id').executeTakeFirst();
    if (row === undefined) throw new SourceNotFoundError(sourceId);
  });
}

export function toSource(row: Selectable<SourcesTable>): Source {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    instructions: row.instructions,
    metadata: row.metadata,
    embedding: row.embedding,
    chunkSize: row.chunk_size,
    chunkOverlap: row.chunk_overlap,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
