import { addFile, getFile, type SourceFile } from '../../../schema/files/files.js';
import type { Db } from '../../../schema/db/database.js';
import { createSource, type Source } from '../../../schema/files/sources.js';
import { waitFor } from '../../../stack/waiting.js';
import { randomUUID } from 'node:crypto';

/** A source of small passages, embedded by the local model unless another is named. */
export function aSource(
  db: Db,
  input: { name?: string; embedding?: string; chunkSize?: number; instructions?: string } = {},
): Promise<Source> {
  return createSource(db, {
    name: input.name ?? `source ${randomUUID()}`,
    embedding: input.embedding ?? 'perdure/use-lite',
    chunkSize: input.chunkSize ?? 40,
    chunkOverlap: 0,
    instructions: input.instructions,
  });
}

/** An uploaded file on which nobody works yet. */
export async function anUpload(
  db: Db,
  source: Source,
  upload: { name?: string; content: string | Buffer },
): Promise<SourceFile> {
  const bytes = Buffer.from(upload.content);
  const { file } = await addFile(db, {
    sourceId: source.id,
    name: upload.name ?? 'notes.md',
    mediaType: null,
    size: bytes.length,
    pieces: inPieces(bytes),
    duplicates: 'error',
  });
  return file;
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 10_000) {
    yield await Promise.resolve(bytes.subarray(start, start + 10_000));
  }
}

/** The file once its ingestion has ended, whichever way. */
export async function ended(db: Db, fileId: string): Promise<SourceFile> {
  const file = await waitFor(
    async () => {
      const now = await getFile(db, fileId);
      return now !== undefined && ['completed', 'failed', 'cancelled'].includes(now.state) ? now : undefined;
    },
    { timeoutMs: 90_000 },
  );
  if (file === undefined) throw new Error(`${fileId} does not end`);
  return file;
}
