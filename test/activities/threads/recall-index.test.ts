import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Embedder } from '../../../activities/deps.js';
import { conversationSearch } from '../../../activities/tools/recall.js';
import type { Agent } from '../../../core/agents/agents.js';
import { WorldFailure } from '../../../core/failures.js';
import { commitEviction } from '../../../schema/threads/evictions.js';
import { openVectors } from '../../../schema/archives/open-vectors.js';
import { messagesWithoutEmbedding } from '../../../schema/threads/recall.js';
import { agentsToIndex } from '../../../schema/threads/recall-indexing.js';
import { lockThread } from '../../../schema/threads/threads.js';
import type { Vectors } from '../../../schema/archives/vectors.js';
import type { ChoreRun } from '../../../worker/chore-run.js';
import { chores, type SweepDeps } from '../../../worker/chores.js';
import { anAgent, openTestDatabase, type OpenedDatabase } from '../../schema/fixtures.js';
import { placePast } from '../../support/agents/past.js';

const handle = 'test/embedding';

describe('recall of a long conversation', () => {
  let database: OpenedDatabase;
  let vectors: Vectors;
  let agent: Agent;
  /** The texts that the embedder was asked for. */
  let embedded: (readonly string[])[] = [];
  let failure: WorldFailure | undefined;

  const embedder: Embedder = {
    description: { handle, provider: 'test', model: 'embedding', dimensions: 2 },
    embed(texts) {
      if (failure !== undefined) return Promise.reject(failure);
      embedded.push(texts);
      return Promise.resolve(texts.map((text) => (/boat|Aurora/.test(text) ? [1, 0] : [0, 1])));
    },
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    vectors = await openVectors(database.db);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    embedded = [];
    failure = undefined;
    agent = await anAgent(database.db);
  });

  const talk = (messages: number) =>
    placePast(
      database.db,
      agent.id,
      Array.from({ length: messages }, (_, index) =>
        index === 7 ? 'She is called Aurora.' : `Talk ${index}.`,
      ),
    );

  async function search(query: string) {
    const { db } = database;
    const context = {
      ...{ agent, threadId: agent.id, embedder: () => embedder, signal: new AbortController().signal },
      effect: { arguments: { query } },
    } as unknown as Parameters<ReturnType<typeof conversationSearch>['prepare']>[0];
    const write = await conversationSearch({ db, vectors }).prepare(context);
    const { message } = await db.transaction().execute((tx) => write({ tx }));
    const { note, results } = JSON.parse(message) as { note?: string; results: { content: string }[] };
    return { note, said: results.map(({ content }) => content) };
  }

  const waiting = async () =>
    (await messagesWithoutEmbedding(database.db, { agentId: agent.id, model: handle, limit: 10_000 })).length;

  /** Keeps only the messages from this position on in context. */
  async function evict(keepFrom: number) {
    await database.db.transaction().execute(async (tx) => {
      const thread = await lockThread(tx, agent.id);
      const eviction = {
        ...{ id: `eviction-${randomUUID()}`, threadId: agent.id, turnId: 'run-x', level: 0 },
        ...{ method: 'hard' as const, keepFrom, messages: 0, tokensBefore: 0, tokensAfter: 0 },
      };
      await commitEviction(tx, thread!, { eviction, summary: '', limit: 100 });
    });
  }

  const asking = async () =>
    (await agentsToIndex(database.db)).filter(({ agentId }) => agentId === agent.id).length;

  async function sweep() {
    const failures: unknown[] = [];
    const run: ChoreRun = {
      signal: AbortSignal.timeout(120_000),
      failed: (error) => failures.push(error),
      count: { done: 0 },
    };
    await chores['recall']!(
      { db: database.db, embeddings: { resolve: () => embedder } } as unknown as SweepDeps,
      run,
    );
    return failures;
  }

  it('searches by words at once, says how much is not indexed, and is indexed by the sweep [recall.background]', async () => {
    await talk(1_500);
    await evict(1_401);

    const first = await search('Aurora');

    expect(first.said).toContain('She is called Aurora.');
    // The hundred newest are in context, where the agent sees them.
    expect(first.note).toContain('1400 older messages');
    expect(embedded).toEqual([['Aurora']]);
    expect(await waiting()).toBe(1_500);

    expect(await sweep()).toEqual([]);

    expect(await waiting()).toBe(0);
    const second = await search('What is the name of the boat?');
    expect(second.note).toBeUndefined();
    expect(second.said[0]).toBe('She is called Aurora.');
  });

  it('does not count messages in context as missing from the index [recall.background]', async () => {
    await talk(50);
    expect((await search('Aurora')).note).toBeUndefined();
    expect(await asking()).toBe(1);
  });

  it('indexes what leaves the context after the first search [recall.background]', async () => {
    await talk(50);
    await evict(20);
    expect(await asking()).toBe(0);
    await search('Aurora');
    await sweep();
    await placePast(database.db, agent.id, ['The boat was sold.']);
    expect(await asking()).toBe(0);

    await evict(52);
    expect(await asking()).toBe(1);
    await sweep();

    expect(await waiting()).toBe(0);
  });

  it('embeds nothing for agents that never searched [recall.background]', async () => {
    await talk(50);

    await sweep();

    expect(await waiting()).toBe(50);
  });

  it.each([
    [true, 'tries again', 1],
    [false, 'waits for the next search', 0],
  ])('when the embedder fails, retryable: %s, it %s [recall.background]', async (retryable, _, expected) => {
    await talk(50);
    await search('Aurora');
    failure = new WorldFailure('Embedding.Unavailable', 'down', { retryable });

    expect(await sweep()).toContain(failure);

    expect(await asking()).toBe(expected);
  });
});
