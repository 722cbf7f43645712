import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { countDeath } from '../../schema/turns/worker-deaths.js';
import { scenarioModel } from '../support/kill-scenario.js';
import { workerEnvironment } from '../support/lanes.js';
import type { ModelServer } from '../support/model-server.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { createScriptedModels } from '../support/scripted-model.js';
import { spawnWorker, type WorkerProcess } from '../support/worker-process.js';

describe('a turn that stops the event loop of its worker', () => {
  let runtime: TestRuntime;
  let model: ModelServer;
  let stop = (): Promise<void> => Promise.resolve();

  beforeAll(async () => {
    runtime = await startRuntime({ models: createScriptedModels() });
    model = await scenarioModel();
  });

  afterEach(() => stop());

  afterAll(async () => {
    await model.close();
    await runtime.close();
  });

  /** Keeps a worker running, as the stack does. Returns those that there were. */
  const keepWorker = (env: Record<string, string>): readonly WorkerProcess[] => {
    const workers: WorkerProcess[] = [];
    const stopped = new AbortController();
    const running = (async () => {
      while (!stopped.signal.aborted) {
        const worker = spawnWorker({ ...workerEnvironment(runtime, model), ...env });
        workers.push(worker);
        await worker.gone;
      }
    })();
    stop = async () => {
      stopped.abort();
      await workers.at(-1)?.kill();
      await running;
    };
    return workers;
  };

  const send = async (agentId: string) => {
    const messages = [{ role: 'user' as const, content: 'first message' }];
    return (await runtime.turns.send({ threadId: agentId, messages })).turn;
  };

  it.each(['callModel', 'editBlock'])(
    'ends as failed, in %s, and others go on [turn.deadly]',
    async (activity) => {
      const [poisonous, good] = await Promise.all([
        runtime.anAgent({ model: 'openai/scripted' }),
        runtime.anAgent({ model: 'openai/scripted' }),
      ]);
      const workers = keepWorker({
        FREEZE_AT: `for:${activity}:${poisonous.id}`,
        STANDSTILL_MS: '4000',
        MODEL_TIMEOUT_MS: '600000',
      });
      const turn = await send(poisonous.id);
      await workers[0]!.frozen;
      const beside = await send(good.id);

      expect(await runtime.turns.result(turn.id)).toMatchObject({
        state: 'failed',
        stopReason: 'error',
        error: {
          type: 'Turn.Deadly',
          message: expect.stringMatching(/^\d workers in a row .* blocked the last one/),
        },
      });
      expect(await runtime.turns.result(beside.id)).toMatchObject({ state: 'completed', steps: 5 });
      const after = await send(good.id);
      expect(await runtime.turns.result(after.id)).toMatchObject({ state: 'completed' });
      expect(workers[0]!.errors.join('\n')).toContain(
        `Nothing went on here for 4 s in ${activity} of ${poisonous.id}:`,
      );
    },
  );
});

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
