import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { KeptPassage, PassageStore, StoreQuery } from '../../core/archives/passage-store.js';
import { cosine } from '../../core/archives/search.js';

/** A line of the file: a passage as it is now, or the id of one that is gone. The last line of an id counts. */
type Line = (Omit<KeptPassage, 'createdAt'> & { readonly createdAt: string }) | { readonly gone: string };

/**
 * Archival memory in a file of JSON lines, `PASSAGE_FILE` (`./passages.jsonl`). Every batch is one write at the file's end
 * and is on the disk before it counts as done. Vectors are compared one by one, in memory.
 */
export async function openPassageStore(env: NodeJS.ProcessEnv): Promise<PassageStore> {
  const path = resolve(env['PASSAGE_FILE'] ?? 'passages.jsonl');
  const file = await open(path, 'a+');
  const lines = createTail(file);
  const append = async (added: readonly Line[]): Promise<void> => {
    // Begun on a line of its own: what a killed process left half written must not swallow the first one.
    const batch = Buffer.from(`\n${added.map((line) => JSON.stringify(line)).join('\n')}\n`);
    // One call: the lines of two processes that write at once must not mix.
    const { bytesWritten } = await file.write(batch);
    if (bytesWritten < batch.length)
      throw new Error(`${path} took ${bytesWritten} of ${batch.length} bytes.`);
    await file.datasync();
  };
  return {
    name: `flat file ${path}`,
    insert: (passages) =>
      append(passages.map((passage) => ({ ...passage, createdAt: passage.createdAt.toISOString() }))),
    delete: (ids) => append(ids.map((gone) => ({ gone }))),
    async search(query) {
      const passages = await lines.read();
      return [...passages.values()]
        .filter((passage) => isMeant(passage, query))
        .map((passage) => ({ id: passage.id, likeness: likeness(passage, query) }))
        .filter((each) => each.likeness !== undefined)
        .sort((a, b) => (b.likeness ?? 0) - (a.likeness ?? 0) || (a.id < b.id ? -1 : 1))
        .slice(0, query.limit)
        .map((each) => each.id);
    },
    async *list() {
      yield* (await lines.read()).keys();
    },
    count: async () => (await lines.read()).size,
    close: () => file.close(),
  };
}

/** Reads what any process has added to the file since it was last read, whole lines alone. */
function createTail(file: FileHandle): { read(): Promise<ReadonlyMap<string, KeptPassage>> } {
  const passages = new Map<string, KeptPassage>();
  let at = 0;
  let reading: Promise<void> = Promise.resolve();
  const readOn = async (): Promise<void> => {
    const { size } = await file.stat();
    if (size < at) {
      // The file was emptied: it has only what was written since, until the next start of a worker fills it again.
      passages.clear();
      at = 0;
    }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - at), 0, size - at, at);
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
    at += end;
    for (const text of buffer.toString('utf8', 0, end).split('\n')) keep(passages, parsed(text));
  };
  return {
    async read() {
      // Who asked before was told of a failure then.
      reading = reading.catch(() => undefined).then(readOn);
      await reading;
      return passages;
    },
  };
}

/** Nothing for an empty line, and for one that a killed process did not finish: it was never taken for done. */
function parsed(text: string): Line | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as Line);
  } catch {
    return undefined;
  }
}

function keep(passages: Map<string, KeptPassage>, line: Line | undefined): void {
  if (line === undefined) return;
  if ('gone' in line) passages.delete(line.gone);
  else passages.set(line.id, { ...line, createdAt: new Date(line.createdAt) });
}

function isMeant(passage: KeptPassage, query: StoreQuery): boolean {
  const { archiveIds, tags, tagMatch, from, to } = query;
  const has = (tag: string): boolean => passage.tags.includes(tag);
  return (
    (archiveIds === null || archiveIds.includes(passage.archiveId)) &&
    (tags.length === 0 || (tagMatch === 'all' ? tags.every(has) : tags.some(has))) &&
    (from === null || passage.createdAt >= from) &&
    (to === null || passage.createdAt <= to)
  );
}

/** Undefined where the two can't be compared: another model, another size, nothing embedded. */
function likeness({ embedding: own }: KeptPassage, { embedding: asked }: StoreQuery): number | undefined {
  if (own === null || asked === null) return undefined;
  if (own.model !== asked.model || own.vector.length !== asked.vector.length) return undefined;
  return own.vector.some((value) => value !== 0) ? cosine(own.vector, asked.vector) : undefined;
}
