import { createHash } from 'node:crypto';
import type {
  KeptEmbedding,
  KeptPassage,
  PassageStore,
  StoreQuery,
} from '../../core/archives/passage-store.js';

/** Ids of a page of a collection. */
const page = 1_000;
/** Of one request: a server that hangs must not hold up a search for good. */
const timeoutMs = 30_000;

/**
 * Archival memory in a Chroma server: `CHROMA_URL` (`http://localhost:8000`), in collections whose names begin with
 * `CHROMA_COLLECTION` (`perdure`). A collection holds vectors of one size, so each model and size has its own.
 */
export function openPassageStore(env: NodeJS.ProcessEnv): PassageStore {
  const url = (env['CHROMA_URL'] ?? 'http://localhost:8000').replace(/\/+$/, '');
  const prefix = env['CHROMA_COLLECTION'] ?? 'perdure';
  const chroma = createClient(`${url}/api/v2/tenants/default_tenant/databases/default_database`, prefix);
  return {
    name: `chroma ${url} ${prefix}`,
    async insert(passages) {
      for (const [name, own] of groupedBy(passages, (passage) => collectionOf(prefix, passage.embedding))) {
        await chroma.upsert(name, own);
        // A passage that was embedded again was in another collection before.
        await chroma.forget(
          own.map((passage) => passage.id),
          { except: name },
        );
      }
    },
    delete: (ids) => chroma.forget(ids, {}),
    async search(query) {
      const { embedding } = query;
      if (embedding === null || isZero(embedding)) return [];
      const name = collectionOf(prefix, embedding);
      const collection = (await chroma.collections()).find((each) => each.name === name);
      if (collection === undefined) return [];
      const where = condition(query);
      const found = await chroma.ask<{ ids: string[][] }>(`collections/${collection.id}/query`, {
        ...{ query_embeddings: [embedding.vector], n_results: query.limit, include: [] },
        ...(where === undefined ? {} : { where }),
      });
      return found.ids[0] ?? [];
    },
    async *list() {
      for (const { id } of await chroma.collections()) {
        for (let offset = 0; ; offset += page) {
          const asked = { limit: page, offset, include: [] };
          const { ids } = await chroma.ask<{ ids: string[] }>(`collections/${id}/get`, asked);
          yield* ids;
          if (ids.length < page) break;
        }
      }
    },
    async count() {
      let count = 0;
      for (const { id } of await chroma.collections())
        count += await chroma.ask<number>(`collections/${id}/count`);
      return count;
    },
    close: () => Promise.resolve(),
  };
}

interface Collection {
  readonly id: string;
  readonly name: string;
}

interface Chroma {
  /** Posts where there is a body. Rejects with what the server answered. */
  ask<T>(path: string, body?: object): Promise<T>;
  /** The store's own. */
  collections(): Promise<readonly Collection[]>;
  upsert(name: string, passages: readonly KeptPassage[]): Promise<void>;
  forget(ids: readonly string[], options: { readonly except?: string }): Promise<void>;
}

function createClient(base: string, prefix: string): Chroma {
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const posted = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${base}/${path}`, {
      ...(body === undefined ? {} : { ...posted, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`Chroma: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const collections = async (): Promise<readonly Collection[]> => {
    const all = await ask<Collection[]>(`collections?limit=${page}`);
    return all.filter((each) => each.name.startsWith(`${prefix}-`));
  };
  return {
    ask,
    collections,
    async forget(ids, { except }) {
      for (const { id, name } of await collections()) {
        if (name !== except) await ask(`collections/${id}/delete`, { ids });
      }
    },
    async upsert(name, passages) {
      const space = { hnsw: { space: 'cosine' } };
      const { id } = await ask<Collection>('collections', {
        name,
        get_or_create: true,
        configuration: space,
      });
      await ask(`collections/${id}/upsert`, {
        ids: passages.map((passage) => passage.id),
        embeddings: passages.map(({ embedding }) => vectorOf(embedding)),
        documents: passages.map((passage) => passage.text),
        metadatas: passages.map(toMetadata),
      });
    },
  };
}

/** Chroma keeps nothing without a vector. What has none, or one of zeros, is in a collection that no search asks. */
function collectionOf(prefix: string, embedding: KeptEmbedding | null): string {
  if (embedding === null || isZero(embedding)) return `${prefix}-without-vector`;
  const model = createHash('sha256').update(embedding.model).digest('hex').slice(0, 12);
  return `${prefix}-${model}-${embedding.vector.length}`;
}

function vectorOf(embedding: KeptEmbedding | null): readonly number[] {
  return embedding === null || isZero(embedding) ? [1] : embedding.vector;
}

function isZero({ vector }: KeptEmbedding): boolean {
  return vector.every((value) => value === 0);
}

/** A key for each tag: conditions on lists are not in every version of Chroma. */
function toMetadata({ archiveId, createdAt, tags }: KeptPassage): Record<string, string | number | boolean> {
  const marks = Object.fromEntries(tags.map((tag) => [`tag:${tag}`, true]));
  return { ...marks, archive: archiveId, created: createdAt.getTime() };
}

function condition({ archiveIds, tags, tagMatch, from, to }: StoreQuery): object | undefined {
  const tagged = tags.map((tag) => ({ [`tag:${tag}`]: true }));
  const parts = [
    ...(archiveIds === null ? [] : [{ archive: { $in: archiveIds } }]),
    ...(tagMatch === 'all' || tagged.length < 2 ? tagged : [{ $or: tagged }]),
    ...(from === null ? [] : [{ created: { $gte: from.getTime() } }]),
    ...(to === null ? [] : [{ created: { $lte: to.getTime() } }]),
  ];
  return parts.length > 1 ? { $and: parts } : parts[0];
}

function groupedBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}
