import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Embedder } from '../../../activities/deps.js';
import { conversationSearch } from '../../../activities/tools/recall.js';
import type { Agent } from '../../../core/agents/agents.js';
import { WorldFailure } from '../../../core/failures.js';
import { openVectors } from '../../../schema/archives/open-vectors.js';
import { countWithoutEmbedding } from '../../../schema/threads/recall.js';
import { agentsToIndex } from '../../../schema/threads/recall-indexing.js';
import type { Vectors } from '../../../schema/archives/vectors.js';
import type { ChoreRun } from '../../../worker/chore-run.js';
import { chores, type SweepDeps } from '../../../worker/chores.js';
import { anAgent, openTestDatabase, type OpenedDatabase } from '../../schema/given.js';
import { placePast } from '../../support/past.js';

const handle = 'test/embedding';

describe('recall of a long past', () => {
  let database: OpenedDatabase;
  let vectors: Vectors;
  let agent: Agent;
  /** What a text costs it, in ms; and what it fails with. */
  let costMs = 0;
  let failure: WorldFailure | undefined;

  const embedder: Embedder = {
    description: { handle, provider: 'test', model: 'embedding', dimensions: 2 },
    async embed(texts, { signal } = {}) {
      if (failure !== undefined) throw failure;
      if (costMs > 0) await setTimeout(costMs * texts.length, undefined, { signal });
      return texts.map((text) => (/boat|Aurora/.test(text) ? [1, 0] : [0, 1]));
    },
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    vectors = await openVectors(database.db);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    costMs = 0;
    failure = undefined;
    agent = await anAgent(database.db);
    await placePast(
      database.db,
      agent.id,
      Array.from({ length: 1_500 }, (_, index) => (index === 7 ? 'She is called Aurora.' : `Talk ${index}.`)),
    );
  });

  async function search(query: string) {
    const { db } = database;
    const context = {
      ...{ agent, threadId: agent.id, embedder: () => embedder, signal: new AbortController().signal },
      effect: { arguments: { query } },
    } as unknown as Parameters<ReturnType<typeof conversationSearch>['prepare']>[0];
    const begun = performance.now();
    const write = await conversationSearch({ db, vectors }).prepare(context);
    const { message } = await db.transaction().execute((tx) => write({ tx }));
    const { note, results } = JSON.parse(message) as { note?: string; results: { content: string }[] };
    return { ms: performance.now() - begun, note, said: results.map(({ content }) => content) };
  }

  const waiting = () =>
    countWithoutEmbedding(database.db, { agentId: agent.id, model: handle, limit: 10_000 });

  async function sweep() {
    const failures: unknown[] = [];
    const run: ChoreRun = {
      signal: AbortSignal.timeout(20_000),
      failed: (error) => failures.push(error),
      count: { done: 0 },
    };
    await chores['recall']!(
      { db: database.db, embeddings: { resolve: () => embedder } } as unknown as SweepDeps,
      run,
    );
    return failures;
  }

  it('answers by words at once, says how much is not indexed, and is indexed by the sweep [recall.background]', async () => {
    costMs = 20;
    const first = await search('Aurora');
    costMs = 0;
    expect(first.said).toContain('She is called Aurora.');
    // Not the 30 s that all of them take; a second, with room for a loaded machine.
    expect(first.ms).toBeLessThan(5_000);
    const left = await waiting();
    expect(left).toBeGreaterThan(1_000);
    expect(first.note).toContain(`${left} older messages`);

    expect(await sweep()).toEqual([]);

    expect(await waiting()).toBe(0);
    const second = await search('What is the name of the boat?');
    expect(second.note).toBeUndefined();
    expect(second.said[0]).toBe('She is called Aurora.');
  });

  it('embeds nothing for agents that never searched [recall.background]', async () => {
    await sweep();

    expect(await waiting()).toBe(1_500);
  });

  it.each([
    [true, 'tries again', 1],
    [false, 'waits for the next search', 0],
  ])('where the embedder fails, retryable: %s, it %s [recall.background]', async (retryable, _, asking) => {
    costMs = 20;
    await search('Aurora');
    failure = new WorldFailure('Embedding.Unavailable', 'down', { retryable });

    expect(await sweep()).toContain(failure);

    const rows = (await agentsToIndex(database.db)).filter(({ agentId }) => agentId === agent.id);
    expect(rows).toHaveLength(asking);
  });
});
