import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { guardStore } from '../../../adapters/archival/guarded-store.js';
import { openPassageStore } from '../../../adapters/archival/open-passage-store.js';
import type { PassageStore } from '../../../core/archives/passage-store.js';
import { createArchivalStore } from '../../../schema/archives/archival.js';
import { agentArchive } from '../../../schema/archives/archives.js';
import type { Db } from '../../../schema/db/database.js';
import { feedStore, registerStore } from '../../../schema/archives/passage-feed.js';
import { createRefusals, createStoreFeed, type StoreFeed } from '../../../schema/archives/store-feed.js';
import { repairStore } from '../../../schema/archives/store-repair.js';
import { deletePassage, insertPassages } from '../../../schema/archives/passages.js';
import { exactVectors } from '../../../schema/archives/vectors-exact.js';
import { packageFile } from '../../../stack/processes.js';
import { waitFor } from '../../../stack/waiting.js';
import { startFeeding } from '../../../worker/store-feed.js';
import { makeTemporaryDirectory } from '../../support/runtime/temporary.js';
import { anAgent, openTestDatabase, type OpenedDatabase, rejection } from '../fixtures.js';

const embedding = { vector: [1, 0, 0], model: 'test/embedding' };
const flatFile = packageFile('examples/archival-stores/flat-file.ts');

async function aFlatFile(path = join(makeTemporaryDirectory('passages'), 'passages.jsonl')) {
  const store = await openPassageStore(flatFile, { PASSAGE_FILE: path });
  if (store === undefined) throw new Error('There is no store.');
  return { store, path };
}

function logTo(lines: string[]) {
  const say = (message: string): void => {
    lines.push(message);
  };
  return { warn: say, error: say };
}

async function idsIn(store: PassageStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const id of store.list()) ids.push(id);
  return ids.sort();
}

describe('the feed of a user’s own archival store', () => {
  let database: OpenedDatabase;
  let db: Db;
  beforeAll(async () => {
    database = await openTestDatabase();
    ({ db } = database);
  });
  afterAll(() => database.close());

  async function stored(agentId: string, ...texts: readonly string[]): Promise<readonly string[]> {
    const passages = texts.map((text) => ({ text, embedding }));
    return (await insertPassages(db, agentId, passages)).map((passage) => passage.id);
  }

  const allIds = async (): Promise<readonly string[]> =>
    (await db.selectFrom('passages').select('id').where('archive_id', 'is not', null).execute())
      .map((row) => row.id)
      .sort();

  it('[archives.feed] delivers all earlier passages, later inserts and deletes, and deletes with an archive', async () => {
    const agent = await anAgent(db);
    const [first] = await stored(agent.id, 'before');
    const { store } = await aFlatFile();
    await registerStore(db, store.name);
    await registerStore(db, store.name);
    const [second, third] = await stored(agent.id, 'after', 'then gone');
    await deletePassage(db, agent.id, third!);

    expect(await feedStore(db, createStoreFeed(store))).toBeGreaterThanOrEqual(3);

    expect(await idsIn(store)).toEqual(await allIds());
    expect(await idsIn(store)).toEqual(expect.arrayContaining([first, second]));
    expect(await feedStore(db, createStoreFeed(store))).toBe(0);
    const archive = await agentArchive(db, agent.id);
    await db.deleteFrom('archives').where('id', '=', archive.id).execute();
    await feedStore(db, createStoreFeed(store));
    expect(await idsIn(store)).not.toContain(first);
    expect(await idsIn(store)).toEqual(await allIds());
    await store.close();
  });

  it('[archives.feed] repeats a passage when the store failed after storing it, and stores it once', async () => {
    const { store } = await aFlatFile();
    await registerStore(db, store.name);
    const agent = await anAgent(db);
    await stored(agent.id, 'one', 'two');
    const breaking: PassageStore = {
      ...store,
      async insert(passages) {
        await store.insert(passages);
        throw new Error('The line broke.');
      },
    };

    expect(await rejection(feedStore(db, createStoreFeed(breaking)))).toMatchObject({
      message: 'The line broke.',
    });
    await feedStore(db, createStoreFeed(store));

    expect(await idsIn(store)).toEqual(await allIds());
    await store.close();
  });

  it('[archives.feed] completes a store that several processes feed while passages come and go', async () => {
    const { store, path } = await aFlatFile();
    const { store: other } = await aFlatFile(path);
    await registerStore(db, store.name);
    const agents = [await anAgent(db), await anAgent(db), await anAgent(db)];
    const writing = agents.map(async (agent) => {
      for (let round = 0; round < 8; round += 1) {
        const [, gone] = await stored(agent.id, `kept ${round}`, `gone ${round}`);
        await deletePassage(db, agent.id, gone!);
      }
    });
    const feeding = [store, other].map(async (each) => {
      for (let round = 0; round < 8; round += 1) await feedStore(db, createStoreFeed(each));
    });

    await Promise.all([...writing, ...feeding]);
    await feedStore(db, createStoreFeed(store));

    expect(await idsIn(other)).toEqual(await allIds());
    await store.close();
    await other.close();
  });

  it('[archives.own-store] trusts the store’s results only for existing passages of the searched archives', async () => {
    const { store } = await aFlatFile();
    await registerStore(db, store.name);
    const agent = await anAgent(db);
    const other = await anAgent(db);
    const [mine] = await stored(agent.id, 'mine');
    const [theirs] = await stored(other.id, 'theirs');
    const asked: string[][] = [];
    const claiming: PassageStore = {
      ...store,
      search: (query) => {
        asked.push([...(query.archiveIds ?? [])]);
        return Promise.resolve([theirs!, 'passage-nobody', mine!, mine!]);
      },
    };

    const found = await createArchivalStore(
      exactVectors('as the test wants it.'),
      createStoreFeed(claiming),
    ).search(db, {
      ...{ agentId: agent.id, query: '', embedding, limit: 5 },
    });

    expect(found.map(({ passage }) => passage.id)).toEqual([mine]);
    expect(asked).toEqual([[(await agentArchive(db, agent.id)).id]]);
    await store.close();
  });

  it('[archives.repair] repairs missing and surplus passages', async () => {
    const { store, path } = await aFlatFile();
    await registerStore(db, store.name);
    const agent = await anAgent(db);
    await stored(agent.id, 'lost', 'lost too');
    await feedStore(db, createStoreFeed(store));
    await store.close();
    truncateSync(path);
    const { store: again } = await aFlatFile(path);
    await again.insert([
      {
        ...{ id: 'passage-stray', archiveId: 'archive-stray', text: '', tags: [], metadata: {} },
        embedding,
        createdAt: new Date(),
      },
    ]);

    const comparison = await repairStore(db, createStoreFeed(again));
    await feedStore(db, createStoreFeed(again));

    const all = await allIds();
    expect(comparison).toEqual({ kind: 'compared', differing: all.length + 1 });
    expect(await idsIn(again)).toEqual(all);
    expect(await repairStore(db, createStoreFeed(again))).toEqual({ kind: 'compared', differing: 0 });
    await again.close();
  });

  it('[archives.repair] repairs missing passages even when a change was waiting at the first check', async () => {
    const { store, path } = await aFlatFile();
    await registerStore(db, store.name);
    const agent = await anAgent(db);
    const other = await anAgent(db);
    await stored(agent.id, 'lost', 'lost too');
    await feedStore(db, createStoreFeed(store));
    truncateSync(path);
    await stored(agent.id, 'new');
    const lines: string[] = [];
    let tellings = 0;
    const telling: PassageStore = {
      ...store,
      async insert(passages) {
        await store.insert(passages);
        tellings += 1;
        // It belongs to an archive unknown to this round, so it still waits when the round ends.
        if (tellings === 1) await stored(other.id, 'meanwhile');
      },
    };

    const all = await allIds();
    const stop = startFeeding({ db, feed: createStoreFeed(telling), log: logTo(lines), everyMs: 20 });
    const isWhole = await waitFor(async () => (await store.count()) === all.length + 1 || undefined, {
      timeoutMs: 90_000,
    });
    await stop();

    expect(isWhole).toBe(true);
    expect(await idsIn(store)).toEqual(await allIds());
    expect(lines).toEqual([
      `The archival store ${store.name} differs in ${all.length - 1} passages. They are being repaired.`,
    ]);
    await store.close();
  });

  it('[archives.refused] delivers all but a refused passage, reports the refusal and tries it again', async () => {
    const { store } = await aFlatFile();
    await registerStore(db, store.name);
    const agent = await anAgent(db);
    const [before, bad, after] = await stored(agent.id, 'before', 'bad', 'after');
    const refusing: PassageStore = {
      ...store,
      insert: (passages) =>
        passages.some((passage) => passage.id === bad)
          ? Promise.reject(new Error('Not that one.'))
          : store.insert(passages),
    };
    const refused: string[] = [];
    const feedOfRefusing = createStoreFeed(refusing);
    feedOfRefusing.onRefused = (id, error) => refused.push(id, error.message);
    const feed = () => feedStore(db, feedOfRefusing);

    expect(await rejection(feed())).toMatchObject({ message: 'Not that one.' });
    expect(await idsIn(store)).toEqual((await allIds()).filter((id) => id !== bad));
    expect(refused).toEqual([]);
    await feed();
    expect(refused).toEqual([bad, 'Not that one.']);
    const [next] = await stored(agent.id, 'next');
    expect(await feed()).toBe(1);

    expect(await idsIn(store)).toEqual(expect.arrayContaining([before, after, next]));
    expect(await repairStore(db, feedOfRefusing)).toEqual({ kind: 'compared', differing: 0 });
    expect(await feedStore(db, createStoreFeed(store))).toBe(1);
    expect(await idsIn(store)).toEqual(await allIds());
    await store.close();
  });

  it('[archives.refused] delivers the passages of other archives when one archive fails', async () => {
    const { store } = await aFlatFile();
    await registerStore(db, store.name);
    const agents = [await anAgent(db), await anAgent(db)];
    await feedStore(db, createStoreFeed(store));

    // In both orders of the two archives.
    for (const [failing, fine] of [agents, [...agents].reverse()]) {
      const archive = await agentArchive(db, failing!.id);
      const broken: PassageStore = {
        ...store,
        insert: (passages) =>
          passages.some((passage) => passage.archiveId === archive.id)
            ? Promise.reject(new Error('Not that archive.'))
            : store.insert(passages),
      };
      await stored(failing!.id, 'fails');
      const [told] = await stored(fine!.id, 'told');
      expect(await rejection(feedStore(db, createStoreFeed(broken)))).toMatchObject({
        message: 'Not that archive.',
      });
      expect(await idsIn(store)).toContain(told);
    }
    await store.close();
  });

  it('[archives.hanging] holds two connections at most for a hanging store, and releases waiting and stopping callers', async () => {
    const its = await openTestDatabase(3);
    const agents = await Promise.all(Array.from({ length: 4 }, () => anAgent(its.db)));
    const { store } = await aFlatFile();
    await registerStore(its.db, store.name);
    for (const { id } of agents) await insertPassages(its.db, id, [{ text: 'A fact.', embedding }]);
    const archiveIds = await Promise.all(agents.map(async ({ id }) => (await agentArchive(its.db, id)).id));
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const hanging: PassageStore = {
      ...store,
      async insert(passages) {
        asked += 1;
        await released;
        return store.insert(passages);
      },
    };
    const giveUp = new AbortController();
    const feedOfHanging = createStoreFeed(hanging);
    const feed = (by: StoreFeed, ids: readonly string[]) =>
      feedStore(its.db, by, { archiveIds: ids, signal: giveUp.signal });
    const held = archiveIds.slice(0, 2).map((id) => feed(feedOfHanging, [id]));
    await waitFor(() => asked === 2 || undefined, { timeoutMs: 90_000 });
    const waiting = [
      ...archiveIds.map((id) => feed(feedOfHanging, [id])),
      feed(createStoreFeed(store), archiveIds.slice(0, 2)),
    ];

    const rows = await its.db.selectFrom('agents').select('id').execute();
    const skipped = await feedStore(its.db, feedOfHanging, { busy: 'skip' });
    giveUp.abort();
    const told = await Promise.all(waiting);
    release();
    await Promise.all(held);

    expect(rows).toHaveLength(4);
    expect(skipped).toBe(0);
    expect(told).toEqual([0, 0, 0, 0, 0]);
    expect(asked).toBe(2);
    await store.close();
    await its.close();
  });

  it('[archives.hanging] delays a stop by one hanging call, not by one per archive', async () => {
    const { store } = await aFlatFile();
    await registerStore(db, store.name);
    for (const { id } of [await anAgent(db), await anAgent(db)]) await stored(id, 'a fact');
    const asked: string[] = [];
    const hang = (name: string) => () => {
      asked.push(name);
      return new Promise<never>(() => undefined);
    };
    const hanging = { ...store, insert: hang('insert'), count: hang('count') };
    const lines: string[] = [];

    const stop = startFeeding({ db, feed: createStoreFeed(guardStore(hanging, 100)), log: logTo(lines) });
    await waitFor(() => asked.length > 0 || undefined, { timeoutMs: 90_000 });
    await stop();

    expect(asked).toEqual(['insert']);
    expect(lines).toEqual(['The archival store could not be updated. The next round tries again.']);
    await store.close();
  });

  it('[archives.flat-file] keeps the passages of a file in which a killed process left half a line', async () => {
    const { store, path } = await aFlatFile();
    await registerStore(db, store.name);
    const agent = await anAgent(db);
    await stored(agent.id, 'whole');
    await feedStore(db, createStoreFeed(store));
    appendFileSync(path, '{"id":"passage-half","text":"ha');
    const [next] = await stored(agent.id, 'next');

    await feedStore(db, createStoreFeed(store));

    expect(await idsIn(store)).toEqual(await allIds());
    expect(await idsIn(store)).toContain(next);
    await store.close();
  });

  it('[archives.feed-kill] neither loses nor doubles passages on kill -9 between the store and the database', async () => {
    const its = await openTestDatabase();
    const { db: own, url } = its;
    const agent = await anAgent(own);
    const texts = Array.from({ length: 450 }, (_, index) => ({ text: `Fact ${index}`, embedding }));
    const passages = await insertPassages(own, agent.id, texts);
    const directory = makeTemporaryDirectory('kill');
    const [path, gate, reached] = ['passages.jsonl', 'gate', 'reached'].map((name) => join(directory, name));
    const env = {
      ...{ DATABASE_URL: url, PASSAGE_FILE: path, GATE: gate, REACHED: reached },
      PERDURE_ARCHIVAL_STORE: packageFile('test/support/archives/gated-passage-store.ts'),
    };
    const first = startFeedingProcess(env);
    expect(await waitFor(() => existsSync(reached!) || undefined, { timeoutMs: 90_000 })).toBe(true);
    await first.kill();
    expect(readFileSync(path!, 'utf8').split('\n').filter(Boolean)).toHaveLength(200);

    writeFileSync(gate!, '');
    const second = startFeedingProcess(env);
    const isFed = await waitFor(
      async () =>
        (await own.selectFrom('passage_feed').select('seq').limit(1).execute()).length === 0 || undefined,
      { timeoutMs: 90_000 },
    );
    await second.kill();

    expect(isFed).toBe(true);
    const { store } = await aFlatFile(path);
    expect(await idsIn(store)).toEqual(passages.map((passage) => passage.id).sort());
    expect(await store.count()).toBe(450);
    await store.close();
    await its.close();
  });
});

describe('[archives.refused] a passage that a store refuses', () => {
  it('is set aside after two failures in a row, and is tried again after five minutes', () => {
    let now = 0;
    const refusals = createRefusals(() => now);

    expect(refusals.failed('passage-1')).toBe(false);
    expect(refusals.aside()).toEqual([]);
    refusals.took(['passage-1']);
    expect(refusals.failed('passage-1')).toBe(false);
    expect(refusals.failed('passage-1')).toBe(true);
    now = 299_999;
    expect(refusals.aside()).toEqual(['passage-1']);
    now = 300_000;
    expect(refusals.aside()).toEqual([]);
    expect(refusals.failed('passage-1')).toBe(true);
    expect(refusals.aside()).toEqual(['passage-1']);
  });
});

function startFeedingProcess(env: Readonly<Record<string, string | undefined>>) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/support/archives/feeding-process.ts'], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
