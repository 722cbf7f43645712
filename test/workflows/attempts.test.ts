import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Activities } from '../../activities/index.js';
import { WorldFailure } from '../../core/failures.js';
import { listMessages } from '../../schema/threads/messages.js';
import { readEvents } from '../../schema/turns/events.js';
import { failInserts } from '../support/faults/faults.js';
import { fetchHistories, retriesOf } from '../support/runtime/histories.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels, saying } from '../support/models/scripted-model.js';

const hoursMs = 6 * 60 * 60 * 1_000;

describe('the attempts of a model call', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models, modelTimeoutMs: 30_000 });
  });

  afterAll(async () => {
    await runtime.close();
  });

  const spoken = async (threadId: string) =>
    JSON.stringify(await listMessages(runtime.db, { threadId, kinds: ['assistant', 'tool'] }, {}));

  it('keep an answer while the database is away, and store it once [turn.answer-kept]', async () => {
    const agent = await runtime.anAgent();
    const asked = models.requests.length;
    // The error of a server that is shutting down.
    const tried = await failInserts(runtime.db, 'effects', 3, '57P01');
    models.script(saying('Kept.'));
    const worker = await runtime.startWorker();

    const turn = await runtime.tell(agent, 'Hello?');
    await worker.stop();

    expect(turn).toMatchObject({ state: 'completed', steps: 1 });
    expect(await tried()).toBe(4);
    expect(models.requests).toHaveLength(asked + 1);
    const [history] = await fetchHistories(runtime.temporal, [agent.id]);
    expect(retriesOf(history!)).toEqual([]);
  });

  it('store and stream nothing after a newer attempt has begun [turn.newest-attempt]', async () => {
    const agent = await runtime.anAgent();
    let answerFirst: (answer: object) => void = () => undefined;
    const isAsked = new Promise<void>((reached) => {
      models.script(() => {
        reached();
        return new Promise((resolve) => {
          answerFirst = resolve;
        });
      }, saying('Of the second.'));
    });
    let first: Promise<unknown> = Promise.resolve();
    const wrap = (activities: Activities): Activities => ({
      ...activities,
      async callModel(input) {
        first = activities.callModel(input).catch((error: unknown) => error);
        await isAsked;
        const second = await activities.callModel(input);
        answerFirst(saying('Of the first.'));
        await first;
        return second;
      },
    });
    const worker = await runtime.startWorker({ wrap });

    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Hello?' }],
      options: { streamTokens: true },
    });
    const ended = await runtime.turns.result(turn.id);
    await worker.stop();

    expect(ended).toMatchObject({ state: 'completed', steps: 1 });
    expect(await spoken(agent.id)).toContain('Of the second.');
    expect(await spoken(agent.id)).not.toContain('Of the first.');
    const events = await readEvents(runtime.db, turn.id, 0);
    const attempts = events.flatMap(({ event }) => (event.kind === 'delta' ? [event.attempt] : []));
    expect(new Set(attempts)).toEqual(new Set([2]));
  });

  it('end with a stop reason if the provider asks to wait for hours, even at the first step [turn.retry-after]', async () => {
    const agent = await runtime.anAgent();
    const limited = new WorldFailure('Model.RateLimited', 'The provider allows no more calls now.', {
      ...{ retryable: true, retryAfterMs: hoursMs, status: 429 },
    });
    models.script(limited);
    const worker = await runtime.startWorker();

    const turn = await runtime.tell(agent, 'Hello?');
    await worker.stop();

    expect(turn).toMatchObject({
      ...{ state: 'failed', stopReason: 'llm_api_error' },
      error: { type: 'Model.RateLimited' },
    });
  });
});
