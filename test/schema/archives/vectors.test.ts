import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { cosine } from '../../../core/archives/search.js';
import { agentArchive } from '../../../schema/archives/archives.js';
import { openDatabase } from '../../../schema/db/database.js';
import { openVectors } from '../../../schema/archives/open-vectors.js';
import { insertPassages, ofAgent } from '../../../schema/archives/passages.js';
import { ensureVectorIndex, indexedType, storedSizes } from '../../../schema/archives/vector-indexes.js';
import type { Vectors } from '../../../schema/archives/vectors.js';
import { insertMessages } from '../../../schema/threads/messages.js';
import { saveEmbeddings } from '../../../schema/threads/recall.js';
import { findHybrid } from '../../../schema/archives/search.js';
import { exactVectors } from '../../../schema/archives/vectors-exact.js';
import { pgvectorVectors } from '../../../schema/archives/vectors-pgvector.js';
import { withClient } from '../../../stack/postgres-database.js';
import { waitFor } from '../../../stack/waiting.js';
import { createTestDatabase, hasVector } from '../../support/runtime/postgres.js';
import { chores, type SweepDeps } from '../../../worker/chores.js';
import { aMessage, anAgent, openTestDatabase, type OpenedDatabase } from '../fixtures.js';

const model = 'test/embedding';
const dimensions = 64;
const exact = exactVectors('as the test wants it.');

/** Numbers in [0, 1) that are the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function clusteredVectors(count: number, random: () => number): number[][] {
  const vector = () => Array.from({ length: dimensions }, () => random() - 0.5);
  const centres = Array.from({ length: 50 }, vector);
  return Array.from({ length: count }, (_, index) => {
    const noise = vector();
    return centres[index % 50]!.map((value, place) => value + 0.4 * noise[place]!);
  });
}

describe('the exact search by vectors', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  it('orders passages by cosine similarity', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const random = randomNumbers(7);
    const vectors = clusteredVectors(200, random);
    const query = vectors[3]!.map((value) => value + 0.1 * random());
    const stored = await insertPassages(
      db,
      agent.id,
      vectors.map((vector) => ({ text: 'x', embedding: { model, vector } })),
    );

    const found = await exact.nearest(db, {
      table: 'passages',
      vector: query,
      model,
      within: await ofAgent(db, agent.id),
      limit: 10,
    });

    const expected = stored
      .map(({ id }, index) => ({ id, likeness: cosine(query, vectors[index]!) }))
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, 10);
    expect(found).toEqual(expected.map((each) => each.id));
  });
});

const whereThereIsPgvector = hasVector() ? describe : describe.skip;

// Skipped only where there is no Python to install pgvector with.
whereThereIsPgvector('pgvector', () => {
  let database: OpenedDatabase;
  let vectors: Vectors;
  beforeAll(async () => {
    database = await openTestDatabase();
    vectors = await openVectors(database.db);
  });
  afterAll(() => database.close());

  async function indexes(): Promise<string[]> {
    const result = await sql<{ name: string }>`
      select indexname as name from pg_indexes where tablename = 'passages' and indexdef like '%hnsw%' order by 1`.execute(
      database.db,
    );
    return result.rows.map((row) => row.name);
  }

  it('is found and installed by several processes that start at once', async () => {
    // As outside of a stack, where the first process is a superuser or the extension is trusted.
    const { adminUrl, drop } = await createTestDatabase();
    const fresh = openDatabase(adminUrl);
    await sql`drop extension vector`.execute(fresh.db);
    const opened = await Promise.all([1, 2, 3, 4].map(() => openVectors(fresh.db)));
    await fresh.close();
    await drop();

    expect(opened.map((each) => each.kind)).toEqual(['pgvector', 'pgvector', 'pgvector', 'pgvector']);
    expect(opened[0]?.note).toMatch(/^Vectors are searched by pgvector \d/);
  });

  it('gets one index for each size, even when several ask for it at once', async () => {
    await Promise.all([1, 2, 3].map(() => ensureVectorIndex(database.db, 'passages', 16)));
    await ensureVectorIndex(database.db, 'passages', 16);
    await ensureVectorIndex(database.db, 'passages', 3_072);
    await ensureVectorIndex(database.db, 'passages', 4_096);

    expect(await indexes()).toEqual(['passages_embedding_16', 'passages_embedding_3072']);
  });

  it('replaces an index whose creation was interrupted', async () => {
    const { db } = database;
    await ensureVectorIndex(db, 'passages', 24);
    await withClient(database.adminUrl, (client) =>
      client.query(
        `update pg_index set indisvalid = false where indexrelid = 'passages_embedding_24'::regclass`,
      ),
    );

    await ensureVectorIndex(db, 'passages', 24);

    const state = await sql<{ valid: boolean }>`
      select indisvalid as valid from pg_index where indexrelid = 'passages_embedding_24'::regclass`.execute(
      db,
    );
    expect(state.rows).toEqual([{ valid: true }]);
  });

  it('[vectors.indexed] gets its index from the sweep, whoever stored the first vector of a size', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const vector = Array.from({ length: 40 }, (_, index) => index);
    const [passage] = await insertPassages(db, agent.id, [{ text: 'x', embedding: { model, vector } }]);
    await insertMessages(db, [aMessage({ id: 'message-40', agentId: agent.id, position: 1 })]);
    await saveEmbeddings(db, model, [{ id: 'message-40', vector: vector.slice(0, 20) }]);
    const failures: unknown[] = [];
    const run = {
      ...{ signal: AbortSignal.timeout(20_000), count: { done: 0 } },
      failed: (error: unknown) => failures.push(error),
    };

    await chores['vectors']!({ db, vectors } as unknown as SweepDeps, run);

    expect(passage).toBeDefined();
    expect(failures).toEqual([]);
    expect(await storedSizes(db)).toEqual(
      expect.arrayContaining([
        { table: 'passages', dimensions: 40 },
        { table: 'messages', dimensions: 20 },
      ]),
    );
    expect(await indexes()).toContain('passages_embedding_40');
  });

  it('[vectors.analyzed] gets a grown table analyzed by the sweep, and again only after it has doubled', async () => {
    const fresh = await openTestDatabase();
    const { db } = fresh;
    await sql`insert into archives (id, name, embedding) values ('archive-grown', 'grown', 'none')`.execute(
      db,
    );
    await sql`alter table passages set (autovacuum_enabled = false)`.execute(db);
    const insert = (from: number, to: number) =>
      sql`insert into passages (id, archive_id, words)
        select 'passage-' || n, 'archive-grown', 'note' from generate_series(${from}::int, ${to}::int) as n`.execute(
        db,
      );
    const known = async () => {
      const run = {
        signal: AbortSignal.timeout(20_000),
        count: { done: 0 },
        failed: (error: unknown) => {
          throw error;
        },
      };
      await chores['vectors']!({ db, vectors } as unknown as SweepDeps, run);
      const { rows } = await sql<{ rows: number; times: number; changed: number }>`
        select reltuples::int as rows, analyze_count::int as times, n_mod_since_analyze::int as changed
        from pg_class join pg_stat_user_tables on relid = pg_class.oid where pg_class.oid = 'passages'::regclass`.execute(
        db,
      );
      return rows[0]!;
    };
    // Counts of changes reach the statistics within a second.
    const until = (wanted: (now: Awaited<ReturnType<typeof known>>) => boolean) =>
      waitFor(
        async () => {
          const now = await known();
          return wanted(now) ? now : undefined;
        },
        { timeoutMs: 20_000, everyMs: 100 },
      );

    await insert(1, 3_000);
    const grown = await until(({ times }) => times > 0);
    await insert(3_001, 5_000);
    const between = await until(({ changed }) => changed >= 2_000);
    await insert(5_001, 8_000);
    const doubled = await until(({ times }) => times > 1);
    await fresh.close();

    expect(grown).toMatchObject({ rows: 3_000, times: 1 });
    expect(between).toMatchObject({ rows: 3_000, times: 1 });
    expect(doubled).toMatchObject({ rows: 8_000, times: 2 });
  });

  it('[vectors.indexed] lets an index that takes longer than a chore finish by itself', async () => {
    const { db } = database;
    const stuck = { prepare: () => new Promise<void>(() => undefined) };
    const failed = (): void => undefined;
    const run = { signal: AbortSignal.timeout(50), count: { done: 0 }, failed };

    const swept = chores['vectors']!({ db, vectors: stuck } as unknown as SweepDeps, run);

    await expect(swept).resolves.toBeUndefined();
  });

  it('[vectors.planned] plans each search for its own archive', async () => {
    const { url, drop } = await createTestDatabase();
    const one = openDatabase(url, { connections: 1 });
    const own = await openVectors(one.db);
    const agent = await anAgent(one.db);
    const search = {
      table: 'passages' as const,
      vector: [1, 0],
      model,
      within: await ofAgent(one.db, agent.id),
    };
    const hybrid = { ...search, text: 'boat', embedding: { model, vector: [1, 0] }, limit: 3 };

    for (let times = 0; times < 3; times += 1) await findHybrid(one.db, own, hybrid);

    const prepared = await sql<{ statement: string }>`
      select statement from pg_prepared_statements
      where statement like '%passages%embedding_model%' or statement like '%lexemes%'`.execute(one.db);
    await one.close();
    await drop();
    expect(prepared.rows).toEqual([]);
  });

  it.each([
    [384, 'vector'],
    [2_000, 'vector'],
    [2_001, 'halfvec'],
    [4_000, 'halfvec'],
    [4_001, undefined],
  ])('indexes %d dimensions as %s', (size, type) => {
    expect(indexedType(size)).toBe(type);
  });

  it.each([1_536, 3_072, 4_096])('finds among vectors of %d dimensions', async (size) => {
    const { db } = database;
    const agent = await anAgent(db);
    const unit = (place: number) => Array.from({ length: size }, (_, index) => (index === place ? 1 : 0));
    await vectors.prepare(db, 'passages', size);
    const stored = await insertPassages(
      db,
      agent.id,
      [0, 1, 2].map((place) => ({ text: 'x', embedding: { model, vector: unit(place) } })),
    );

    for (const search of [vectors, pgvectorVectors('', { exactUpTo: 0 })]) {
      const found = await search.nearest(db, {
        table: 'passages',
        vector: unit(1),
        model,
        within: await ofAgent(db, agent.id),
        limit: 1,
      });
      expect(found).toEqual([stored[1]!.id]);
    }
  });

  describe('with an index over thousands', () => {
    const count = 5_000;
    const indexed = pgvectorVectors('', { exactUpTo: 0 });
    const random = randomNumbers(42);
    const all = clusteredVectors(count, random);
    let large: string;
    let small: string;

    beforeAll(async () => {
      const { db } = database;
      [large, small] = await Promise.all([anAgent(db), anAgent(db)]).then(
        (made) => [made[0].id, made[1].id] as const,
      );
      await vectors.prepare(db, 'passages', dimensions);
      for (const [agentId, some] of [
        [large, all.slice(0, -8)],
        [small, all.slice(-8)],
      ] as const) {
        for (let start = 0; start < some.length; start += 1_000) {
          const batch = some.slice(start, start + 1_000);
          await insertPassages(
            db,
            agentId,
            batch.map((vector) => ({ text: 'x', embedding: { model, vector } })),
          );
        }
      }
      await sql`analyze passages`.execute(db);
    });

    const near = async (search: Vectors, agentId: string, vector: readonly number[]) =>
      search.nearest(database.db, {
        table: 'passages',
        vector,
        model,
        within: await ofAgent(database.db, agentId),
        limit: 10,
      });

    it('[memory.hnsw] finds at least 95 % of what the exact search finds', async () => {
      let shared = 0;
      for (let query = 0; query < 50; query += 1) {
        const vector = all[Math.floor(random() * count)]!.map((value) => value + 0.2 * (random() - 0.5));
        const expected = new Set(await near(exact, large, vector));
        shared += (await near(indexed, large, vector)).filter((id) => expected.has(id)).length;
      }

      expect(shared / 500).toBeGreaterThanOrEqual(0.95);
    });

    it('[vectors.counted-once] counts a large archive once, not for each search', async () => {
      let counts = 0;
      const counting = database.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: ({ result }) => {
          if (result.rows.some((row) => 'count' in row)) counts += 1;
          return Promise.resolve(result);
        },
      });
      const counted = pgvectorVectors('', { exactUpTo: 100 });
      const within = await ofAgent(database.db, large);
      const ask = (vector: readonly number[]) =>
        counted.nearest(counting, { table: 'passages', vector, model, within, limit: 10 });

      for (const vector of all.slice(0, 3)) await ask(vector);

      expect(counts).toBe(1);
    });

    it('uses the index', async () => {
      const { db } = database;
      const archive = await agentArchive(db, large);
      const plan = await sql<{ 'QUERY PLAN': string }>`
        explain select id from passages where archive_id = ${archive.id} and embedding_model = ${model}
          and cardinality(embedding) = 64
        order by embedding::vector(64) <=> ${all[0]!}::real[]::vector(64) limit 10`.execute(db);

      expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('passages_embedding_64');
    });

    it('finds everything in a small archive beside it, with or without the index', async () => {
      const vector = all[0]!;
      const expected = await near(exact, small, vector);

      expect(expected).toHaveLength(8);
      expect(await near(vectors, small, vector)).toEqual(expected);
      expect(await near(indexed, small, vector)).toEqual(expected);
    });
  });
});
