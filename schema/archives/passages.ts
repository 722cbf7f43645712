import { randomUUID } from 'node:crypto';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { agentArchive } from './archives.js';
import type { Db, Tx } from '../db/database.js';
import { PassageNotFoundError } from './errors.js';
import { identifiersOf } from './identifiers.js';
import { type Page, paged } from '../db/paging.js';
import { containing, storable, toJson } from '../db/storable.js';
import type { PassagesTable } from './tables.js';

/** A passage of archival memory, without its embedding. */
export interface Passage {
  readonly id: string;
  /** Null: the passage is part of a file. */
  readonly archiveId: string | null;
  /** For a part of a file: its source and file. */
  readonly sourceId: string | null;
  readonly fileId: string | null;
  readonly text: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Handle of the model that embedded it; null: not embedded yet. */
  readonly embeddingModel: string | null;
  readonly createdAt: Date;
}

/** A passage to store. */
export interface NewPassage {
  /** Absent: random. */
  readonly id?: string | undefined;
  readonly text: string;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Absent: the passage is found by words alone. */
  readonly embedding?: Embedding | undefined;
  readonly createdAt?: Date | undefined;
}

/** A vector and the handle of the model that made it. */
export interface Embedding {
  readonly vector: readonly number[];
  readonly model: string;
}

/**
 * Stores passages in the agent's own archive and returns them in this order. A passage whose id exists stays
 * unchanged. Throws AgentNotFoundError.
 */
export async function insertPassages(
  db: Db | Tx,
  agentId: string,
  passages: readonly NewPassage[],
): Promise<readonly Passage[]> {
  const archive = await agentArchive(db, agentId);
  return insertIntoArchive(db, archive.id, passages);
}

/** Like `insertPassages`, for an existing archive. */
export async function insertIntoArchive(
  db: Db | Tx,
  archiveId: string,
  passages: readonly NewPassage[],
): Promise<readonly Passage[]> {
  if (passages.length === 0) return [];
  const rows = passages.map((passage) => passageRow(passage, archiveId));
  await db
    .insertInto('passages')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const ids = rows.map((row) => row.id);
  return getPassages(db, ids);
}

function passageRow(passage: NewPassage, archiveId: string) {
  const words = storable(passage.text);
  return {
    id: passage.id ?? `passage-${randomUUID()}`,
    archive_id: archiveId,
    source_id: null,
    file_id: null,
    words,
    tags: (passage.tags ?? []).map(storable),
    metadata: toJson(passage.metadata ?? {}),
    identifiers: identifiersOf(words),
    embedding: passage.embedding === undefined ? null : [...passage.embedding.vector],
    embedding_model: passage.embedding?.model ?? null,
    created_at: passage.createdAt,
  };
}

/** Passages by their ids, in that order, without unknown ones. */
export async function getPassages(db: Db | Tx, ids: readonly string[]): Promise<readonly Passage[]> {
  const rows = await db
    .selectFrom('passages')
    .select(passageColumns)
    .where('id', '=', sql<string>`any(${[...ids]})`)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, toPassage(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Filters for an agent's passages. */
export interface PassageFilter {
  readonly agentId: string;
  /** A part of the text, case-insensitive. */
  readonly search?: string | undefined;
}

/** The passages of all archives that the agent has, by creation, paged. */
export async function listPassages(
  db: Db | Tx,
  filter: PassageFilter,
  page: Page,
): Promise<readonly Passage[]> {
  let query = db
    .selectFrom('passages')
    .select(passageColumns)
    .where(await ofAgent(db, filter.agentId));
  if (filter.search !== undefined) query = query.where('passages.words', 'ilike', containing(filter.search));
  return (await paged('passages', query, page)).map(toPassage);
}

export async function countPassages(db: Db | Tx, agentId: string): Promise<number> {
  const row = await db
    .selectFrom('passages')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(await ofAgent(db, agentId))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Deletes a passage of an archive that the agent has. Throws PassageNotFoundError. */
export async function deletePassage(db: Db | Tx, agentId: string, passageId: string): Promise<void> {
  const row = await db
    .deleteFrom('passages')
    .where('id', '=', passageId)
    .where(await ofAgent(db, agentId))
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) throw new PassageNotFoundError(passageId);
}

/** Which of an agent's passages: those of its archives, of its files, or both. */
export type Reach = 'archives' | 'files' | 'all';

/** The condition that a passage is in one of the agent's archives or files. */
export async function inReachOf(
  db: Db | Tx,
  agentId: string,
  reach: Reach = 'all',
): Promise<RawBuilder<boolean>> {
  if (reach === 'archives') return ofAgent(db, agentId);
  const own = reach === 'files' ? sql<boolean>`false` : await ofAgent(db, agentId);
  const rows = await db
    .selectFrom('agent_sources')
    .innerJoin('agents', 'agents.id', 'agent_sources.agent_id')
    .select('source_id')
    .where('agents.id', '=', agentId)
    .where('agents.deleted_at', 'is', null)
    .execute();
  if (rows.length === 0) return own;
  return sql<boolean>`(${own} or passages.source_id = any(${rows.map((row) => row.source_id)}::text[]))`;
}

/** Deletes a passage of an archive. Throws PassageNotFoundError. */
export async function deleteArchivePassage(db: Db | Tx, archiveId: string, passageId: string): Promise<void> {
  const row = await db
    .deleteFrom('passages')
    .where('id', '=', passageId)
    .where('archive_id', '=', archiveId)
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) throw new PassageNotFoundError(passageId);
}

/**
 * The condition that a passage is in one of the agent's archives; never true for unknown or deleted agents. The
 * archives are read first, because Postgres estimates the number of rows well only from their ids.
 */
export async function ofAgent(db: Db | Tx, agentId: string): Promise<RawBuilder<boolean>> {
  const rows = await db
    .selectFrom('agent_archives')
    .innerJoin('agents', 'agents.id', 'agent_archives.agent_id')
    .select('archive_id')
    .where('agents.id', '=', agentId)
    .where('agents.deleted_at', 'is', null)
    .execute();
  const [first, ...others] = rows.map((row) => row.archive_id);
  if (first === undefined) return sql<boolean>`false`;
  // Most agents have a single archive. Then a list can be read in the order of the index.
  if (others.length === 0) return sql<boolean>`passages.archive_id = ${first}`;
  return sql<boolean>`passages.archive_id = any(${[first, ...others]}::text[])`;
}

/** The columns of a passage. */
export const passageColumns = [
  'passages.id',
  'passages.archive_id',
  'passages.source_id',
  'passages.file_id',
  'passages.words',
  'passages.tags',
  'passages.metadata',
  'passages.embedding_model',
  'passages.created_at',
] as const;

export function toPassage(
  row: Pick<
    Selectable<PassagesTable>,
    | 'id'
    | 'archive_id'
    | 'source_id'
    | 'file_id'
    | 'words'
    | 'tags'
    | 'metadata'
    | 'embedding_model'
    | 'created_at'
  >,
): Passage {
  return {
    id: row.id,
    archiveId: row.archive_id,
    sourceId: row.source_id,
    fileId: row.file_id,
    text: row.words,
    tags: row.tags,
    metadata: row.metadata,
    embeddingModel: row.embedding_model,
    createdAt: row.created_at,
  };
}
