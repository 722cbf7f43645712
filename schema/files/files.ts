import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { type DuplicateHandling, type FileState, suffixedName } from '../../core/files/files.js';
import { allowTime, type Db, inTransaction, type Tx } from '../db/database.js';
import { type Page, paged } from '../db/paging.js';
import { FileNameTakenError, FileNotFoundError, SourceNotFoundError } from './errors.js';
import type { FilesTable } from './tables.js';
import { storable } from '../db/storable.js';

/** A document in a source. */
export interface SourceFile {
  readonly id: string;
  readonly sourceId: string;
  /** The job by which a client follows its ingestion. */
  readonly jobId: string;
  /** Its name, unique in the source. */
  readonly name: string;
  /** The name at upload. */
  readonly originalName: string;
  /** As stated at upload. Reading goes by the file's content. */
  readonly mediaType: string | null;
  /** In bytes. */
  readonly size: number;
  readonly state: FileState;
  /** Why it failed and what to do, as a sentence for the uploader. */
  readonly error: string | null;
  /** The number of its passages; null: not known yet. */
  readonly chunks: number | null;
  readonly chunksEmbedded: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A file to add. */
export interface NewFile {
  readonly sourceId: string;
  readonly name: string;
  readonly mediaType: string | null;
  readonly size: number;
  /** Its bytes in order, in pieces that each fit in memory. */
  readonly pieces: AsyncIterable<Buffer>;
  readonly duplicates: DuplicateHandling;
}

/** The result of an upload. `added` is false where a file of that name exists and was kept. */
export interface AddedFile {
  readonly file: SourceFile;
  readonly added: boolean;
}

/**
 * Adds a file with its bytes and a job for its ingestion, or nothing. Throws SourceNotFoundError, and
 * FileNameTakenError where duplicates are an error.
 */
export async function addFile(db: Db | Tx, input: NewFile): Promise<AddedFile> {
  return inTransaction(db, async (tx) => {
    // Locked, so that two uploads of the same name see each other.
    const source = await tx
      .selectFrom('sources')
      .select('id')
      .where('id', '=', input.sourceId)
      .forUpdate()
      .executeTakeFirst();
    if (source === undefined) throw new SourceNotFoundError(input.sourceId);
    const wanted = storable(input.name);
    const twin = await findByName(tx, input.sourceId, wanted);
    if (twin !== undefined && input.duplicates === 'skip') return { file: twin, added: false };
    if (twin !== undefined && input.duplicates === 'error') throw new FileNameTakenError(wanted);
    if (twin !== undefined && input.duplicates === 'replace') await deleteFile(tx, input.sourceId, twin.id);
    const name = await freeName(tx, input.sourceId, wanted);
    const file = await insertFile(tx, { ...input, name, originalName: wanted });
    let index = 0;
    for await (const bytes of input.pieces) {
      await tx.insertInto('file_bytes').values({ file_id: file.id, index, bytes }).execute();
      index += 1;
    }
    return { file, added: true };
  });
}

async function insertFile(
  tx: Tx,
  input: Pick<NewFile, 'sourceId' | 'name' | 'mediaType' | 'size'> & { readonly originalName: string },
): Promise<SourceFile> {
  const row = await tx
    .insertInto('files')
    .values({
      id: `file-${randomUUID()}`,
      source_id: input.sourceId,
      job_id: `job-${randomUUID()}`,
      name: input.name,
      original_name: input.originalName,
      media_type: input.mediaType === null ? null : storable(input.mediaType),
      size: input.size,
      error: null,
      chunks: null,
      lines: null,
      characters: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('jobs')
    .values({
      id: row.job_id,
      source_id: row.source_id,
      file_id: row.id,
      file_name: row.name,
      error: null,
      completed_at: null,
    })
    .execute();
  return toFile(row);
}

async function freeName(tx: Tx, sourceId: string, wanted: string): Promise<string> {
  const rows = await tx.selectFrom('files').select('name').where('source_id', '=', sourceId).execute();
  const taken = new Set(rows.map((row) => row.name));
  let name = wanted;
  for (let number = 1; taken.has(name); number += 1) name = suffixedName(wanted, number);
  return name;
}

async function findByName(db: Db | Tx, sourceId: string, name: string): Promise<SourceFile | undefined> {
  const row = await db
    .selectFrom('files')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row === undefined ? undefined : toFile(row);
}

export async function getFile(db: Db | Tx, fileId: string): Promise<SourceFile | undefined> {
  const row = await db.selectFrom('files').selectAll().where('id', '=', fileId).executeTakeFirst();
  return row === undefined ? undefined : toFile(row);
}

/** A file of this source. Throws FileNotFoundError. */
export async function requireFile(db: Db | Tx, sourceId: string, fileId: string): Promise<SourceFile> {
  const file = await getFile(db, fileId);
  if (file?.sourceId !== sourceId) throw new FileNotFoundError(fileId);
  return file;
}

/** The source's files by creation, paged. */
export async function listFiles(db: Db | Tx, sourceId: string, page: Page): Promise<readonly SourceFile[]> {
  const query = db.selectFrom('files').selectAll().where('source_id', '=', sourceId);
  return (await paged('files', query, page)).map(toFile);
}

/** The files of all sources, by source and name. */
export async function listAllFiles(db: Db | Tx): Promise<readonly SourceFile[]> {
  const rows = await db.selectFrom('files').selectAll().orderBy('source_id').orderBy('name').execute();
  return rows.map(toFile);
}

/** The text of a file; empty before it was read. */
export async function fileText(db: Db | Tx, fileId: string): Promise<string> {
  const rows = await db
    .selectFrom('file_parts')
    .select('words')
    .where('file_id', '=', fileId)
    .orderBy('index')
    .execute();
  return rows.map((row) => row.words).join('');
}

/** Deletes a file with its passages. Its ingestion then ends by itself. Throws FileNotFoundError. */
export async function deleteFile(db: Db | Tx, sourceId: string, fileId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await allowTime(tx);
    const row = await tx
      .deleteFrom('files')
      .where('id', '=', fileId)
      .where('source_id', '=', sourceId)
      .returning('job_id')
      .executeTakeFirst();
    if (row === undefined) throw new FileNotFoundError(fileId);
    await tx
      .updateTable('jobs')
      .set({ state: 'cancelled', completed_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
      .where('id', '=', row.job_id)
      .where('state', 'in', ['created', 'running'])
      .execute();
  });
}

export function toFile(row: Selectable<FilesTable>): SourceFile {
  return {
    id: row.id,
    sourceId: row.source_id,
    jobId: row.job_id,
    name: row.name,
    originalName: row.original_name,
    mediaType: row.media_type,
    size: row.size,
    state: row.state,
    error: row.error,
    chunks: row.chunks,
    chunksEmbedded: row.chunks_embedded,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
