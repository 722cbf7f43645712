import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { codePoints } from '../../core/blocks/operations.js';
import type { TransferredFile, TransferredPassage } from '../../core/transfer/transfer.js';
import type { Tx } from '../db/database.js';
import { addFile } from '../files/files.js';
import { identifiersOf } from '../archives/identifiers.js';
import { storable, storableOrNull, toJson } from '../db/storable.js';

/** Rows per statement, far below the protocol's limit of parameters. */
const batch = 500;
/** Characters of a part of a file's text, which is cut at ends of lines. */
const partCharacters = 64_000;

/** Where passages belong. */
export type PassageOwner =
  { readonly archive_id: string } | { readonly source_id: string; readonly file_id: string };

/** Stores passages with their vectors. Returns their new ids by those of the transfer. */
export async function writePassages(
  tx: Tx,
  owner: PassageOwner,
  passages: readonly TransferredPassage[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (let from = 0; from < passages.length; from += batch) {
    const some = passages.slice(from, from + batch);
    const rows = some.map((passage) => passageRow(owner, passage));
    await tx.insertInto('passages').values(rows).execute();
    some.forEach((passage, index) => {
      const row = rows[index];
      if (passage.id !== null && row !== undefined) ids.set(passage.id, row.id);
    });
  }
  return ids;
}

function passageRow(owner: PassageOwner, passage: TransferredPassage) {
  const words = storable(passage.text);
  return {
    archive_id: null,
    source_id: null,
    file_id: null,
    ...owner,
    id: `passage-${randomUUID()}`,
    words,
    tags: passage.tags.map(storable),
    metadata: toJson(passage.metadata),
    identifiers: identifiersOf(words),
    embedding: passage.embedding === null ? null : [...passage.embedding.vector],
    embedding_model: storableOrNull(passage.embedding?.model ?? null),
    // As text, to keep the microseconds.
    created_at: sql<Date>`${passage.createdAt}::timestamptz`,
  };
}

/** The rows of written files. */
export interface WrittenFiles {
  /** Files that need ingestion. */
  readonly fileIds: readonly string[];
  /** New ids of passages by those of the transfer. */
  readonly passages: ReadonlyMap<string, string>;
}

/**
 * Stores files of a new source that were read elsewhere: their text and passages, with finished jobs. A file without
 * passages is stored as its text, for ingestion.
 */
export async function writeFiles(
  tx: Tx,
  sourceId: string,
  files: readonly TransferredFile[],
): Promise<WrittenFiles> {
  const fileIds: string[] = [];
  const passages = new Map<string, string>();
  for (const file of files) {
    if (file.passages.length === 0) fileIds.push(await addText(tx, sourceId, file));
    else for (const [id, row] of await writeFile(tx, sourceId, file)) passages.set(id, row);
  }
  return { fileIds, passages };
}

async function addText(tx: Tx, sourceId: string, { name, text }: TransferredFile): Promise<string> {
  const bytes = Buffer.from(text);
  const { file } = await addFile(tx, {
    ...{ sourceId, name, mediaType: 'text/plain', size: bytes.length, duplicates: 'suffix' },
    pieces: Readable.from([bytes]),
  });
  return file.id;
}

async function writeFile(
  tx: Tx,
  sourceId: string,
  file: TransferredFile,
): Promise<ReadonlyMap<string, string>> {
  const id = `file-${randomUUID()}`;
  const jobId = `job-${randomUUID()}`;
  const text = storable(file.text);
  const name = storable(file.name);
  const chunks = file.passages.length;
  await tx
    .insertInto('jobs')
    .values({
      id: jobId,
      source_id: sourceId,
      file_id: id,
      file_name: name,
      state: 'completed',
      error: null,
      completed_at: new Date(),
    })
    .execute();
  await tx
    .insertInto('files')
    .values({
      id,
      source_id: sourceId,
      job_id: jobId,
      name,
      original_name: storable(file.originalName),
      media_type: storableOrNull(file.mediaType),
      size: file.size,
      state: 'completed',
      error: null,
      ...{ chunks, chunks_embedded: chunks, characters: codePoints(text), lines: linesOf(text) },
    })
    .execute();
  await writeParts(tx, id, text);
  return writePassages(tx, { source_id: sourceId, file_id: id }, file.passages);
}

function linesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

async function writeParts(tx: Tx, fileId: string, text: string): Promise<void> {
  let [index, firstLine, rest] = [0, 1, text];
  while (rest !== '') {
    // A line that is longer than a part is a part of its own.
    const end = rest.length <= partCharacters ? -1 : rest.indexOf('\n', partCharacters);
    const words = end === -1 ? rest : rest.slice(0, end + 1);
    await tx
      .insertInto('file_parts')
      .values({ file_id: fileId, index, first_line: firstLine, words })
      .execute();
    index += 1;
    firstLine += words.split('\n').length - 1;
    rest = rest.slice(words.length);
  }
}
