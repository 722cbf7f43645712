import { sql } from 'kysely';
import type { FileState } from '../../core/files/files.js';
import { derivedId } from '../../core/ids.js';
import type { Chunk } from '../../core/files/chunking.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { type SourceFile, toFile } from './files.js';
import { identifiersOf } from '../archives/identifiers.js';
import { type Source, toSource } from './sources.js';
import { storable, toJson } from '../db/storable.js';

/**
 * The states of a file: pending → parsing → embedding → completed, or failed, or cancelled. Each write below locks
 * the file's row and checks its state, so a late one (from a killed worker, an attempt that was given up, or for a
 * file that was cancelled or deleted) changes nothing. All are harmless when repeated.
 */

const unfinished: readonly FileState[] = ['pending', 'parsing', 'embedding'];

/** A file to read, with the settings of its source. */
export interface FileToRead {
  readonly file: SourceFile;
  readonly source: Source;
}

/** Where an ingestion continues. `over`: the file has ended or is gone. */
export type IngestionStart =
  | { readonly kind: 'read'; readonly toRead: FileToRead }
  | { readonly kind: 'embed'; readonly chunks: number }
  | { readonly kind: 'over' };

/** Starts reading a file from the beginning, and drops what an earlier attempt left. */
export async function beginReading(db: Db, fileId: string): Promise<IngestionStart> {
  return inTransaction(db, async (tx): Promise<IngestionStart> => {
    const file = await lockFile(tx, fileId);
    if (file === undefined || !unfinished.includes(file.state)) return { kind: 'over' };
    if (file.state === 'embedding') return { kind: 'embed', chunks: file.chunks ?? 0 };
    await dropWork(tx, fileId);
    await setState(tx, fileId, { state: 'parsing' });
    await setJob(tx, file.jobId, { state: 'running' });
    const row = await tx
      .selectFrom('sources')
      .selectAll()
      .where('id', '=', file.sourceId)
      .executeTakeFirstOrThrow();
    return { kind: 'read', toRead: { file, source: toSource(row) } };
  });
}

/** A file's bytes in order, in pieces. */
export async function* readBytes(db: Db, fileId: string): AsyncGenerator<Buffer> {
  for (let index = 0; ; index += 1) {
    const row = await db
      .selectFrom('file_bytes')
      .select('bytes')
      .where('file_id', '=', fileId)
      .where('index', '=', index)
      .executeTakeFirst();
    if (row === undefined) return;
    yield row.bytes;
  }
}

/** A part of a file's text that ends at a line's end. */
export interface FilePart {
  readonly index: number;
  readonly firstLine: number;
  readonly text: string;
}

/** A chunk with its index in the file. */
export interface PlacedChunk extends Chunk {
  readonly index: number;
}

/** Stores what was read so far. Returns false where the file is no longer being read. */
export async function storeRead(
  db: Db,
  fileId: string,
  read: { readonly parts: readonly FilePart[]; readonly chunks: readonly PlacedChunk[] },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    if ((await lockFile(tx, fileId))?.state !== 'parsing') return false;
    if (read.parts.length > 0) {
      await tx
        .insertInto('file_parts')
        .values(
          read.parts.map(({ index, firstLine, text }) => ({
            file_id: fileId,
            index,
            first_line: firstLine,
            words: storable(text),
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    if (read.chunks.length > 0) {
      await tx
        .insertInto('file_chunks')
        .values(read.chunks.map((chunk) => chunkRow(fileId, chunk)))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    await setState(tx, fileId, {});
    return true;
  });
}

function chunkRow(fileId: string, chunk: PlacedChunk) {
  const words = storable(chunk.text);
  return {
    file_id: fileId,
    index: chunk.index,
    // Derived from file and index, so that reading again gives the same ids.
    passage_id: derivedId('passage', fileId, chunk.index),
    words,
    first_line: chunk.firstLine,
    last_line: chunk.lastLine,
    identifiers: identifiersOf(words),
    embedding: null,
    embedding_model: null,
  };
}

/** Records that the file was read completely. Returns false where it is no longer being read. */
export async function finishReading(
  db: Db,
  fileId: string,
  read: { readonly chunks: number; readonly lines: number; readonly characters: number },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    if ((await lockFile(tx, fileId))?.state !== 'parsing') return false;
    await setState(tx, fileId, { state: 'embedding', ...read });
    return true;
  });
}

/** The first chunks without an embedding, and the handle of the model to use. */
export async function chunksToEmbed(
  db: Db,
  fileId: string,
  limit: number,
): Promise<{ readonly embedding: string; readonly chunks: readonly { index: number; text: string }[] }> {
  const rows = await db
    .selectFrom('file_chunks')
    .innerJoin('files', 'files.id', 'file_chunks.file_id')
    .innerJoin('sources', 'sources.id', 'files.source_id')
    .select(['file_chunks.index', 'file_chunks.words', 'sources.embedding'])
    .where('files.id', '=', fileId)
    .where('files.state', '=', 'embedding')
    .where('file_chunks.embedding', 'is', null)
    .orderBy('file_chunks.index')
    .limit(limit)
    .execute();
  return {
    embedding: rows[0]?.embedding ?? '',
    chunks: rows.map(({ index, words }) => ({ index, text: words })),
  };
}

/** Stores embeddings of chunks. Returns how many chunks of the file still have none; 0 where the file has ended. */
export async function saveChunkEmbeddings(
  db: Db,
  fileId: string,
  made: {
    readonly model: string;
    readonly vectors: readonly { readonly index: number; readonly vector: readonly number[] }[];
  },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const file = await lockFile(tx, fileId);
    if (file?.state !== 'embedding') return 0;
    await sql`
      update file_chunks set embedding = made.vector, embedding_model = ${made.model}
      from jsonb_to_recordset(${toJson(made.vectors)}::jsonb) as made (index int, vector real[])
      where file_chunks.file_id = ${fileId} and file_chunks.index = made.index`.execute(tx);
    const { left } = await tx
      .selectFrom('file_chunks')
      .select((eb) => eb.fn.countAll<number>().as('left'))
      .where('file_id', '=', fileId)
      .where('embedding', 'is', null)
      .executeTakeFirstOrThrow();
    await setState(tx, fileId, { chunks_embedded: (file.chunks ?? left) - left });
    return left;
  });
}

/** Turns all the file's chunks into passages at once, so that either all or none can be found. */
export async function publishPassages(db: Db, fileId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const file = await lockFile(tx, fileId);
    if (file?.state !== 'embedding') return;
    await sql`
      insert into passages (id, source_id, file_id, words, metadata, identifiers, embedding, embedding_model, created_at)
      select passage_id, ${file.sourceId}, file_id, words,
        jsonb_build_object('file_name', ${file.name}::text, 'first_line', first_line, 'last_line', last_line),
        identifiers, embedding, embedding_model, now() + index * interval '1 microsecond'
      from file_chunks where file_id = ${fileId} order by index
      on conflict do nothing`.execute(tx);
    await tx.deleteFrom('file_chunks').where('file_id', '=', fileId).execute();
    await setState(tx, fileId, { state: 'completed' });
    await setJob(tx, file.jobId, { state: 'completed' });
  });
}

/** Ends a file that can't become passages, and removes all but its bytes. `error` is for the uploader. */
export async function endFile(
  db: Db | Tx,
  fileId: string,
  end: { readonly state: 'failed' | 'cancelled'; readonly error: string },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const file = await lockFile(tx, fileId);
    if (file === undefined || !unfinished.includes(file.state)) return;
    await dropWork(tx, fileId);
    await setState(tx, fileId, { ...end, chunks: null, chunks_embedded: 0 });
    await setJob(tx, file.jobId, end);
  });
}

/** Ids of unfinished files without any progress for this long, in ms. */
export async function quietFiles(db: Db | Tx, patienceMs: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('files')
    .select('id')
    .where('state', 'in', unfinished)
    .where('touched_at', '<', sql<Date>`now() - ${patienceMs} * interval '1 millisecond'`)
    .orderBy('touched_at')
    .limit(100)
    .execute();
  return rows.map((row) => row.id);
}

async function lockFile(tx: Tx, fileId: string): Promise<SourceFile | undefined> {
  const row = await tx
    .selectFrom('files')
    .selectAll()
    .where('id', '=', fileId)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? undefined : toFile(row);
}

async function dropWork(tx: Tx, fileId: string): Promise<void> {
  await tx.deleteFrom('file_parts').where('file_id', '=', fileId).execute();
  await tx.deleteFrom('file_chunks').where('file_id', '=', fileId).execute();
}

async function setState(
  tx: Tx,
  fileId: string,
  change: {
    readonly state?: FileState;
    readonly error?: string;
    readonly chunks?: number | null;
    readonly chunks_embedded?: number;
    readonly lines?: number;
    readonly characters?: number;
  },
): Promise<void> {
  await tx
    .updateTable('files')
    .set({ ...change, touched_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
    .where('id', '=', fileId)
    .execute();
}

async function setJob(
  tx: Tx,
  jobId: string,
  {
    state,
    error,
  }: { readonly state: 'running' | 'completed' | 'failed' | 'cancelled'; readonly error?: string },
): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({
      state,
      ...(error === undefined ? {} : { error }),
      updated_at: sql<Date>`now()`,
      completed_at: state === 'running' ? null : sql<Date>`now()`,
    })
    .where('id', '=', jobId)
    .execute();
}
