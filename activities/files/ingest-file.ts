import { WorldFailure } from '../../core/failures.js';
import { type Unreadable, unreadableSentence } from '../../core/files/files.js';
import {
  beginReading,
  chunksToEmbed,
  endFile,
  type FilePart,
  type FileToRead,
  finishReading,
  type PlacedChunk,
  publishPassages,
  readBytes,
  saveChunkEmbeddings,
  storeRead,
} from '../../schema/files/ingestion.js';
import { openForItsAgents } from '../../schema/files/agent-file-limits.js';
import type { ActivityDeps } from '../deps.js';
import { keepingAlive } from '../keep-alive.js';

/** The context window of a model; the smallest one where the model is not configured. */
function windowOf({ models }: ActivityDeps, handle: string): { readonly contextWindow: number } {
  try {
    return models.resolve(handle).description;
  } catch (error) {
    if (error instanceof WorldFailure) return { contextWindow: 0 };
    throw error;
  }
}

export interface FileInput {
  readonly fileId: string;
}

/** The next stage of the file's ingestion. `over`: there is none. */
export type ReadVerdict = { readonly kind: 'embed'; readonly chunks: number } | { readonly kind: 'over' };

/** Passages embedded per activity, between two updates of the progress. */
const batch = 32;
/** Parts stored per statement while a document is read: some 200 kB. */
const storedAtOnce = 100;

/** Turns an uploaded file into passages. */
export function ingestionActivities(deps: ActivityDeps) {
  const { db } = deps;
  return {
    /** Reads the file and cuts it into chunks. A file that was read is not read again. */
    async readFile({ fileId }: FileInput): Promise<ReadVerdict> {
      const start = await beginReading(db, fileId);
      if (start.kind !== 'read') return start;
      return keepingAlive((signal) => read(deps, start.toRead, signal));
    },

    /** Embeds the next chunks without a vector. An earlier attempt's embeddings are not paid for again. */
    async embedChunks({ fileId }: FileInput): Promise<{ readonly left: number }> {
      return keepingAlive(async (signal) => {
        const { embedding, chunks } = await chunksToEmbed(db, fileId, batch);
        if (chunks.length === 0) return { left: 0 };
        const vectorsOfChunks = await embed(deps, fileId, {
          embedding,
          texts: chunks.map((chunk) => chunk.text),
          signal,
        });
        if (vectorsOfChunks === undefined) return { left: 0 };
        const { model, made } = vectorsOfChunks;
        const placed = chunks.flatMap(({ index }, at) => {
          const vector = made[at];
          return vector === undefined ? [] : [{ index, vector }];
        });
        return { left: await saveChunkEmbeddings(db, fileId, { model, vectors: placed }) };
      });
    },

    /** Turns all chunks into passages at once. */
    async publishFile({ fileId }: FileInput): Promise<void> {
      await keepingAlive(() => publishPassages(db, fileId));
      await openForItsAgents(db, fileId, (handle) => windowOf(deps, handle));
    },

    /** Ends a file that Temporal gave up. `failure` is the last failure's type. */
    async giveUpFile({ fileId, failure }: FileInput & { readonly failure: string }): Promise<void> {
      const error = `The file could not be ingested in time (${failure}). Upload it again; the worker's log says more.`;
      await endFile(db, fileId, { state: 'failed', error });
    },
  };
}

async function read(
  deps: ActivityDeps,
  { file, source }: FileToRead,
  signal: AbortSignal,
): Promise<ReadVerdict> {
  const { db, documents } = deps;
  let parts: FilePart[] = [];
  let chunks: PlacedChunk[] = [];
  const store = async (): Promise<boolean> => {
    const stored = await storeRead(db, file.id, { parts, chunks });
    parts = [];
    chunks = [];
    return stored;
  };
  const events = documents.read({
    name: file.originalName,
    pieces: readBytes(db, file.id),
    chunkSize: source.chunkSize,
    chunkOverlap: source.chunkOverlap,
    signal,
  });
  for await (const event of events) {
    if (event.kind === 'unreadable') return fail(deps, file.id, event.reason);
    if (event.kind === 'part') parts.push(event);
    if (event.kind === 'chunk') chunks.push(event);
    const isDue = event.kind === 'end' || parts.length + chunks.length >= storedAtOnce;
    if (isDue && !(await store())) return { kind: 'over' };
    if (event.kind !== 'end') continue;
    const { chunks: count, lines, characters } = event;
    const finished = await finishReading(db, file.id, { chunks: count, lines, characters });
    return finished ? { kind: 'embed', chunks: count } : { kind: 'over' };
  }
  return fail(deps, file.id, 'broken');
}

async function fail({ db }: ActivityDeps, fileId: string, reason: Unreadable): Promise<ReadVerdict> {
  await endFile(db, fileId, { state: 'failed', error: unreadableSentence(reason) });
  return { kind: 'over' };
}

/** The texts' vectors; undefined where the model refused permanently, which ends the file. */
async function embed(
  { db, embeddings }: ActivityDeps,
  fileId: string,
  work: { readonly embedding: string; readonly texts: readonly string[]; readonly signal: AbortSignal },
): Promise<{ readonly model: string; readonly made: number[][] } | undefined> {
  try {
    const embedder = embeddings.resolve(work.embedding);
    const made = await embedder.embed(work.texts, { signal: work.signal });
    return { model: embedder.description.handle, made };
  } catch (error) {
    if (!(error instanceof WorldFailure) || error.retryable) throw error;
    const sentence = `The source's embedding model refused: ${error.message} Correct this and upload the file again.`;
    await endFile(db, fileId, { state: 'failed', error: sentence });
    return undefined;
  }
}
