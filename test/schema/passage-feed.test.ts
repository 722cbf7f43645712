import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openPassageStore } from '../../adapters/archival/open-passage-store.js';
import type { PassageStore } from '../../core/passage-store.js';
import { createArchivalStore } from '../../schema/archival.js';
import { agentArchive } from '../../schema/archives.js';
import type { Db } from '../../schema/database.js';
import { feedStore, registerStore, repairStore } from '../../schema/passage-feed.js';
import { deletePassage, insertPassages } from '../../schema/passages.js';
import { exactVectors } from '../../schema/vectors-exact.js';
import { packageFile } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/temporary.js';
import { anAgent, openTestDatabase, type OpenedDatabase, rejection } from './given.js';

const embedding = { vector: [1, 0, 0], model: 'test/embedding' };
const flatFile = packageFile('examples/archival-stores/flat-file.ts');

async function aFlatFile(path = join(makeTemporaryDirectory('passages'), 'passages.jsonl')) {
  const store = await openPassageStore(flatFile, { PASSAGE_FILE: path });
  if (store === undefined) throw new Error('There is no store.');
  return { store, path };
}

async function idsIn(store: PassageStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const id of store.list()) ids.push(id);
  return ids.sort();
}

describe('what a store of a user’s own is told', () => {
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

  it('[archives.feed] is every passage from before, and whatever comes and goes, also with its archive', async () => {
    const agent = await anAgent(db);
    const [first] = await stored(agent.id, 'before');
    const { store } = await aFlatFile();
    await registerStore(db, store.name);
    await registerStore(db, store.name);
    const [second, third] = await stored(agent.id, 'after', 'then gone');
    await deletePassage(db, agent.id, third!);

    expect(await feedStore(db, store)).toBeGreaterThanOrEqual(3);

    expect(await idsIn(store)).toEqual(await allIds());
    expect(await idsIn(store)).toEqual(expect.arrayContaining([first, second]));
    expect(await feedStore(db, store)).toBe(0);
    const archive = await agentArchive(db, agent.id);
    await db.deleteFrom('archives').where('id', '=', archive.id).execute();
    await feedStore(db, store);
    expect(await idsIn(store)).not.toContain(first);
    expect(await idsIn(store)).toEqual(await allIds());
    await store.close();
  });

  it('[archives.feed] is told again where the store broke after it had kept it, and kept once', async () => {
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

    expect(await rejection(feedStore(db, breaking))).toMatchObject({ message: 'The line broke.' });
    await feedStore(db, store);

    expect(await idsIn(store)).toEqual(await allIds());
    await store.close();
  });

  it('[archives.feed] reaches a store that several processes feed while passages come and go', async () => {
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
      for (let round = 0; round < 8; round += 1) await feedStore(db, each);
    });

    await Promise.all([...writing, ...feeding]);
    await feedStore(db, store);

    expect(await idsIn(other)).toEqual(await allIds());
    await store.close();
    await other.close();
  });

  it('[archives.own-store] is found by what the store says, but never what is not there or not meant', async () => {
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

    const found = await createArchivalStore(exactVectors('as the test wants it.'), claiming).search(db, {
      ...{ agentId: agent.id, query: '', embedding, limit: 5 },
    });

    expect(found.map(({ passage }) => passage.id)).toEqual([mine]);
    expect(asked).toEqual([[(await agentArchive(db, agent.id)).id]]);
    await store.close();
  });

  it('[archives.repair] is all that it lost or has too much', async () => {
    const { store, path } = await aFlatFile();
    await registerStore(db, store.name);
    const agent = await anAgent(db);
    await stored(agent.id, 'lost', 'lost too');
    await feedStore(db, store);
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

    const differing = await repairStore(db, again);
    await feedStore(db, again);

    const all = await allIds();
    expect(differing).toBe(all.length + 1);
    expect(await idsIn(again)).toEqual(all);
    expect(await repairStore(db, again)).toBe(0);
    await again.close();
  });

  it('[archives.flat-file] keeps what it had when a killed process left half a line', async () => {
    const { store, path } = await aFlatFile();
    await registerStore(db, store.name);
    const agent = await anAgent(db);
    await stored(agent.id, 'whole');
    await feedStore(db, store);
    appendFileSync(path, '{"id":"passage-half","text":"ha');
    const [next] = await stored(agent.id, 'next');

    await feedStore(db, store);

    expect(await idsIn(store)).toEqual(await allIds());
    expect(await idsIn(store)).toContain(next);
    await store.close();
  });

  it('[archives.feed-kill] is neither lost nor doubled by kill -9 between the store and the database', async () => {
    const its = await openTestDatabase();
    const { db: own, url } = its;
    const agent = await anAgent(own);
    const texts = Array.from({ length: 450 }, (_, index) => ({ text: `Fact ${index}`, embedding }));
    const passages = await insertPassages(own, agent.id, texts);
    const directory = makeTemporaryDirectory('kill');
    const [path, gate, reached] = ['passages.jsonl', 'gate', 'reached'].map((name) => join(directory, name));
    const env = {
      ...{ DATABASE_URL: url, PASSAGE_FILE: path, GATE: gate, REACHED: reached },
      PERDURE_ARCHIVAL_STORE: packageFile('test/support/gated-passage-store.ts'),
    };
    const first = startFeedingProcess(env);
    expect(await waitFor(() => existsSync(reached!) || undefined, { timeoutMs: 30_000 })).toBe(true);
    await first.kill();
    expect(readFileSync(path!, 'utf8').split('\n').filter(Boolean)).toHaveLength(200);

    writeFileSync(gate!, '');
    const second = startFeedingProcess(env);
    const isFed = await waitFor(
      async () =>
        (await own.selectFrom('passage_feed').select('seq').limit(1).execute()).length === 0 || undefined,
      { timeoutMs: 30_000 },
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

function startFeedingProcess(env: Readonly<Record<string, string | undefined>>) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/support/feeding-process.ts'], {
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
