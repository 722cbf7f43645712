import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { deleteAgent } from '../../../schema/agents/agents.js';
import { agentArchive } from '../../../schema/archives/archives.js';
import { type ArchivalStore, createArchivalStore } from '../../../schema/archives/archival.js';
import { inTransaction } from '../../../schema/db/database.js';
import { AgentNotFoundError } from '../../../schema/agents/errors.js';
import { PassageNotFoundError } from '../../../schema/archives/errors.js';
import { openVectors } from '../../../schema/archives/open-vectors.js';
import { registerStore } from '../../../schema/archives/passage-feed.js';
import { createStoreFeed } from '../../../schema/archives/store-feed.js';
import { countPassages } from '../../../schema/archives/passages.js';
import { exactVectors } from '../../../schema/archives/vectors-exact.js';
import { testEmbeddings } from '../../support/runtime/embeddings.js';
import { facts, questions } from '../../support/archives/paraphrases.js';
import { aPassageStore, ownStores, type StoreUnderTest } from '../../support/archives/passage-stores.js';
import { hasVector } from '../../support/runtime/postgres.js';
import { anAgent, openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

// pgvector and Chroma are left out only where there is no Python to install them with.
const kinds = [...(hasVector() ? (['pgvector'] as const) : []), 'exact', ...ownStores] as const;

/** Facts and tickets with their vectors, the same for every store. */
async function embedOnce() {
  const embedder = testEmbeddings.resolve();
  const tickets = facts.map((_, index) => ({
    id: randomUUID(),
    text: `Ticket number ${index} was closed by the team.`,
  }));
  const texts = [...facts, ...tickets.map((ticket) => `${ticket.text} Reference ${ticket.id}.`)];
  const vectors = await embedder.embed(texts);
  const asked = new Map<string, Promise<readonly number[]>>();
  const ask = async (query: string): Promise<readonly number[]> => (await embedder.embed([query]))[0] ?? [];
  const embed = (query: string): Promise<readonly number[]> => {
    const vector = asked.get(query) ?? ask(query);
    asked.set(query, vector);
    return vector;
  };
  return { embed, model: embedder.description.handle, texts, tickets, vectors };
}

let known: ReturnType<typeof embedOnce> | undefined;

describe.each(kinds)('[memory.stores-agree] the archival store (%s)', (kind) => {
  let database: OpenedDatabase;
  let store: ArchivalStore;
  let under: StoreUnderTest | undefined;
  beforeAll(async () => {
    database = await openTestDatabase();
    const isPgvector = kind === 'pgvector';
    const vectors = isPgvector ? await openVectors(database.db) : exactVectors('as the test wants it.');
    expect(vectors.kind).toBe(isPgvector ? 'pgvector' : 'exact');
    for (const size of [3, 512]) await vectors.prepare(database.db, 'passages', size);
    if (kind === 'flat file' || kind === 'chroma') {
      under = await aPassageStore(kind);
      const own = await under.open();
      await registerStore(database.db, own.name);
      store = createArchivalStore(vectors, createStoreFeed(own));
    } else {
      store = createArchivalStore(vectors);
    }
  });
  afterAll(async () => {
    await under?.close();
    await database.close();
  });

  const embedded = (vector: readonly number[], model = 'test/embedding') => ({ vector, model });

  async function found(search: Partial<Parameters<ArchivalStore['search']>[1]> & { agentId: string }) {
    const results = await store.search(database.db, { query: '', limit: 10, ...search });
    return results.map((result) => result.passage.text);
  }

  it('returns what it stored, and stores an id once', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const archive = await agentArchive(db, agent.id);
    const passage = {
      id: `passage-${randomUUID()}`,
      text: 'The sky is blue.',
      tags: ['sky'],
      metadata: { by: 'Sam' },
      embedding: embedded([1, 0, 0]),
      createdAt: new Date('2026-02-03T04:05:06Z'),
    };

    const [stored] = await store.insert(db, agent.id, [passage]);
    const [again] = await store.insert(db, agent.id, [{ ...passage, text: 'The sky is green.' }]);

    expect(stored).toEqual({
      id: passage.id,
      archiveId: archive.id,
      sourceId: null,
      fileId: null,
      text: passage.text,
      tags: ['sky'],
      metadata: { by: 'Sam' },
      embeddingModel: 'test/embedding',
      createdAt: passage.createdAt,
    });
    expect(again).toEqual(stored);
    expect(await countPassages(db, agent.id)).toBe(1);
  });

  it('keeps the order of inserted passages, and lists by part of the text', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const stored = await store.insert(db, agent.id, [
      { text: 'One 50%' },
      { text: 'two' },
      { text: 'three 500' },
    ]);

    expect(stored.map((passage) => passage.text)).toEqual(['One 50%', 'two', 'three 500']);
    const listed = await store.list(db, { agentId: agent.id, search: 'ONE' }, {});
    expect(listed.map((passage) => passage.text)).toEqual(['One 50%']);
    expect(await store.list(db, { agentId: agent.id, search: '50%' }, {})).toEqual(listed);
  });

  it('finds by nearness, by words and by both', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    await store.insert(db, agent.id, [
      { text: 'north', embedding: embedded([1, 0, 0]) },
      { text: 'east', embedding: embedded([0, 1, 0]) },
      { text: 'north-east', embedding: embedded([1, 1, 0]) },
      { text: 'no vector', embedding: embedded([0, 0, 0]) },
      { text: 'words only: a lighthouse was repaired' },
    ]);

    expect(await found({ agentId: agent.id, embedding: embedded([1, 0.2, 0]) })).toEqual([
      'north',
      'north-east',
      'east',
    ]);
    expect(await found({ agentId: agent.id, query: 'Who repairs lighthouses?' })).toEqual([
      'words only: a lighthouse was repaired',
    ]);
    const both = await found({ agentId: agent.id, query: 'lighthouse', embedding: embedded([0, 1, 0]) });
    expect(both.slice(0, 2).sort()).toEqual(['east', 'words only: a lighthouse was repaired']);
  });

  it('compares only vectors of one model and size', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    await store.insert(db, agent.id, [
      { text: 'mine', embedding: embedded([0, 0, 1]) },
      { text: 'other model', embedding: embedded([1, 0, 0], 'other/embedding') },
      { text: 'other size', embedding: embedded([1, 0]) },
    ]);

    expect(await found({ agentId: agent.id, embedding: embedded([1, 0, 0]) })).toEqual(['mine']);
    expect(await found({ agentId: agent.id, embedding: embedded([1, 0]) })).toEqual(['other size']);
  });

  it('filters by any or all of several tags, and by inclusive dates', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const at = (day: number) => new Date(Date.UTC(2026, 0, day));
    await store.insert(db, agent.id, [
      { text: 'a cat', tags: ['pet'], createdAt: at(1), embedding: embedded([1, 0, 0]) },
      { text: 'a dog', tags: ['pet', 'loud'], createdAt: at(2), embedding: embedded([1, 0, 0]) },
      { text: 'a horn', tags: ['loud'], createdAt: at(3), embedding: embedded([1, 0, 0]) },
    ]);
    const tags = ['pet', 'loud'];

    expect((await found({ agentId: agent.id, embedding: embedded([1, 0, 0]), tags })).sort()).toEqual([
      'a cat',
      'a dog',
      'a horn',
    ]);
    expect(await found({ agentId: agent.id, embedding: embedded([1, 0, 0]), tags, tagMatch: 'all' })).toEqual(
      ['a dog'],
    );
    expect(await found({ agentId: agent.id, query: 'cat dog horn', tags: ['loud'], to: at(2) })).toEqual([
      'a dog',
    ]);
    expect(await found({ agentId: agent.id, from: at(2), to: at(3) })).toEqual(['a horn', 'a dog']);
    expect(await found({ agentId: agent.id, limit: 1 })).toEqual(['a horn']);
  });

  it('shows an agent only its own passages, and hides those of a deleted agent', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const other = await anAgent(db);
    const [passage] = await store.insert(db, agent.id, [{ text: 'secret', embedding: embedded([1, 0, 0]) }]);

    expect(await found({ agentId: other.id, query: 'secret', embedding: embedded([1, 0, 0]) })).toEqual([]);
    expect(await rejection(store.delete(db, other.id, passage!.id))).toBeInstanceOf(PassageNotFoundError);

    await deleteAgent(db, agent.id);

    expect(await found({ agentId: agent.id, query: 'secret', embedding: embedded([1, 0, 0]) })).toEqual([]);
    expect(await rejection(store.insert(db, agent.id, [{ text: 'more' }]))).toBeInstanceOf(
      AgentNotFoundError,
    );
  });

  it('deletes a passage only once', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const [passage] = await store.insert(db, agent.id, [{ text: 'gone' }]);

    await store.delete(db, agent.id, passage!.id);

    expect(await found({ agentId: agent.id, query: 'gone' })).toEqual([]);
    const failure = await rejection(store.delete(db, agent.id, passage!.id));
    expect(failure).toBeInstanceOf(PassageNotFoundError);
    expect(failure).toMatchObject({ id: passage!.id });
  });

  it('works within a transaction, and is rolled back with it', async () => {
    const { db } = database;
    const agent = await anAgent(db);
    const undone = inTransaction(db, async (tx) => {
      await store.insert(tx, agent.id, [{ text: 'undone', embedding: embedded([1, 0, 0]) }]);
      const [seen] = await store.list(tx, { agentId: agent.id }, {});
      throw new RangeError(seen?.text);
    });

    expect(await rejection(undone)).toMatchObject({ name: 'RangeError', message: 'undone' });
    expect(await countPassages(db, agent.id)).toBe(0);
    expect(await found({ agentId: agent.id, query: 'undone', embedding: embedded([1, 0, 0]) })).toEqual([]);
  });

  if (kind === 'flat file' || kind === 'chroma') {
    it('[archives.own-store] keeps one passage per id, the latest, and accepts deletes of unknown ids', async () => {
      const mine = await under!.open();
      const other = await under!.open();
      const id = `passage-${randomUUID()}`;
      const passage = { id, archiveId: 'archive-1', text: '', tags: [], metadata: {}, createdAt: new Date() };
      const query = {
        archiveIds: ['archive-1'],
        text: '',
        tags: [],
        tagMatch: 'any',
        from: null,
        to: null,
      } as const;
      const near = (model: string) =>
        other.search({ ...query, embedding: embedded([1, 0, 0], model), limit: 5 });
      const before = await mine.count();

      await mine.insert([{ ...passage, embedding: embedded([1, 0, 0]) }]);
      await mine.insert([{ ...passage, embedding: embedded([1, 0, 0]) }]);
      expect(await near('test/embedding')).toEqual([id]);
      await mine.insert([{ ...passage, embedding: embedded([1, 0, 0], 'test/newer') }]);
      expect(await near('test/embedding')).toEqual([]);
      expect(await near('test/newer')).toEqual([id]);
      expect(await other.count()).toBe(before + 1);
      await mine.delete([id, 'passage-unknown']);
      await mine.delete([id]);

      expect(await near('test/newer')).toEqual([]);
      expect(await other.count()).toBe(before);
    });
  }

  it.each(['-', "it's \\ 'quoted' & | ! <-> :* (", 'the of and', '\0', '"unclosed', '😀'])(
    'accepts any query: %j',
    async (query) => {
      const agent = await anAgent(database.db);
      await store.insert(database.db, agent.id, [{ text: 'something quoted' }]);

      const results = await store.search(database.db, { agentId: agent.id, query, limit: 3 });

      expect(results.length).toBeLessThanOrEqual(1);
    },
  );

  it('[memory.paraphrase] [memory.identifiers] finds the fact behind a paraphrased question, and every identifier', async () => {
    const { db } = database;
    const { embed, model, texts, tickets, vectors } = await (known ??= embedOnce());
    const agent = await anAgent(db);
    await store.insert(
      db,
      agent.id,
      texts.map((text, index) => ({ text, embedding: { model, vector: vectors[index]! } })),
    );

    const first = async (query: string) => {
      const vector = await embed(query);
      return (await found({ agentId: agent.id, query, embedding: { model, vector }, limit: 5 }))[0];
    };
    const answers: (string | undefined)[] = [];
    for (const question of questions) answers.push(await first(question));
    const named: (string | undefined)[] = [];
    for (const ticket of tickets) named.push(await first(`What happened with ${ticket.id.toUpperCase()}?`));

    expect(questions).toHaveLength(20);
    const misses = questions.filter((_, index) => answers[index] !== facts[index]);
    expect(misses.length).toBeLessThanOrEqual(4);
    expect(named).toEqual(texts.slice(facts.length));
  });
});
