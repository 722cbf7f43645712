import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countDeath } from '../../schema/turns/worker-deaths.js';
import { scenarioModel } from '../support/kills/kill-scenario.js';
import { workerEnvironment } from '../support/kills/lanes.js';
import type { ModelServer } from '../support/model-server.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels } from '../support/models/scripted-model.js';
import { spawnWorker, type WorkerProcess } from '../support/worker-process.js';

describe('a turn that stops the event loop of its worker', () => {
  const activities = ['callModel', 'editBlock'];
  let model: ModelServer;
  /** Begun side by side, because most of their time is waiting for processes that start and stand still. */
  let begun: ReadonlyMap<string, ReturnType<typeof killWorkers>>;

  beforeAll(async () => {
    model = await scenarioModel();
    begun = new Map(activities.map((activity) => [activity, killWorkers(activity)]));
  });

  afterAll(async () => {
    await Promise.allSettled(begun.values());
    await model.close();
  });

  /** A turn whose activity stops each worker that runs it, and turns of another agent beside and after it. */
  async function killWorkers(activity: string) {
    const runtime = await startRuntime({ models: createScriptedModels() });
    const [poisonous, good] = await Promise.all([
      runtime.anAgent({ model: 'openai/scripted' }),
      runtime.anAgent({ model: 'openai/scripted' }),
    ]);
    const send = async (agentId: string) => {
      const messages = [{ role: 'user' as const, content: 'first message' }];
      return (await runtime.turns.send({ threadId: agentId, messages })).turn;
    };
    const { workers, stop } = keepWorker({
      ...workerEnvironment(runtime, model),
      FREEZE_AT: `for:${activity}:${poisonous.id}`,
      STANDSTILL_MS: '2000',
      MODEL_TIMEOUT_MS: '600000',
    });
    try {
      const turn = await send(poisonous.id);
      await workers[0]!.frozen;
      const beside = await send(good.id);
      const ended = await runtime.turns.result(turn.id);
      const besideEnded = await runtime.turns.result(beside.id);
      const after = await send(good.id);
      const said = workers[0]!.errors.join('\n');
      return { poisonous, ended, beside: besideEnded, after: await runtime.turns.result(after.id), said };
    } finally {
      await stop();
      await runtime.close();
    }
  }

  it.each(activities)('ends as failed, in %s, and others go on [turn.deadly]', async (activity) => {
    const { poisonous, ended, beside, after, said } = await begun.get(activity)!;

    expect(ended).toMatchObject({
      state: 'failed',
      stopReason: 'error',
      error: {
        type: 'Turn.Deadly',
        message: expect.stringMatching(/^\d workers in a row .* blocked the last one/),
      },
    });
    expect(beside).toMatchObject({ state: 'completed', steps: 5 });
    expect(after).toMatchObject({ state: 'completed' });
    expect(said).toContain(`Nothing went on here for 2 s in ${activity} of ${poisonous.id}:`);
  });
});

/** Keeps a worker running, as the stack does. `workers`: all that there were. */
function keepWorker(env: Record<string, string>) {
  const workers: WorkerProcess[] = [];
  const stopped = new AbortController();
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const worker = spawnWorker(env);
      workers.push(worker);
      await worker.gone;
    }
  })();
  const stop = async (): Promise<void> => {
    stopped.abort();
    await workers.at(-1)?.kill();
    await running;
  };
  return { workers, stop };
}

describe('deaths of workers with a turn in hand', () => {
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models: createScriptedModels() });
  });

  afterAll(() => runtime.close());

  const runningTurn = async () => {
    const agent = await runtime.anAgent({});
    const { turn } = await runtime.turns.send({
      ...{ threadId: agent.id, messages: [{ role: 'user' as const, content: 'Hello.' }] },
    });
    await runtime.db
      .updateTable('turns')
      .set({ state: 'running', steps: 1 })
      .where('id', '=', turn.id)
      .execute();
    const die = (key: number, isCause = true) => countDeath(runtime.db, { threadId: agent.id, key, isCause });
    return { turn, die };
  };

  it('count once each, and from the last step on [turn.deadly]', async () => {
    const { turn, die } = await runningTurn();

    expect([await die(1), await die(1), await die(2), await die(2)]).toEqual(Array(4).fill(undefined));
    await runtime.db.updateTable('turns').set({ steps: 2 }).where('id', '=', turn.id).execute();
    expect([await die(3), await die(4)]).toEqual([undefined, undefined]);
    expect(await die(5)).toBe(turn.id);
    expect(await die(6)).toBeUndefined();
  });

  it('that somebody else caused are more until a turn is given up [turn.deadly]', async () => {
    const { turn, die } = await runningTurn();
    const keys = Array.from({ length: 9 }, (_, index) => index);

    for (const key of keys) expect(await die(key, false)).toBeUndefined();
    expect(await die(9, false)).toBe(turn.id);
  });
});
