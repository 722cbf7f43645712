import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countDeath } from '../../schema/turns/worker-deaths.js';
import { scenarioModel } from '../support/kills/kill-scenario.js';
import type { ModelServer } from '../support/model-server.js';
import type { Stop } from '../support/points.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels } from '../support/models/scripted-model.js';
import { spawnWorker, workerEnvironment, type WorkerProcess } from '../support/worker-process.js';

describe('a turn that blocks its worker’s event loop', () => {
  let model: ModelServer;
  let runtime: TestRuntime;
  let keeper: ReturnType<typeof keepWorker>;

  beforeAll(async () => {
    model = await scenarioModel();
    runtime = await startRuntime({ models: createScriptedModels() });
    const limits = { STANDSTILL_MS: '2000', MODEL_TIMEOUT_MS: '600000' };
    keeper = keepWorker({ ...workerEnvironment(runtime, model), ...limits });
  });

  afterAll(async () => {
    await keeper.stop();
    await runtime.close();
    await model.close();
  });

  const send = async (agentId: string) => {
    const messages = [{ role: 'user' as const, content: 'first message' }];
    return (await runtime.turns.send({ threadId: agentId, messages })).turn;
  };

  it.each<{ activity: 'callModel' | 'editBlock'; diedBefore: number }>([
    { activity: 'callModel', diedBefore: 1 },
    { activity: 'editBlock', diedBefore: 2 },
  ])('fails in $activity while other turns continue [turn.deadly]', async ({ activity, diedBefore }) => {
    const [poisonous, good] = await Promise.all([
      runtime.anAgent({ model: 'openai/scripted' }),
      runtime.anAgent({ model: 'openai/scripted' }),
    ]);
    const stop: Stop = { point: { freeze: activity }, workflows: [poisonous.id] };
    const first = await keeper.freezeAt(stop);
    const turn = await send(poisonous.id);
    await first.stopped(stop.workflows);
    for (let key = -diedBefore; key < 0; key += 1) {
      await countDeath(runtime.db, { threadId: poisonous.id, key, isCause: true });
    }
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
    expect(first.errors.join('\n')).toContain(
      `Nothing went on here for 2 s in ${activity} of ${poisonous.id}:`,
    );
  });
});

/** Keeps a worker running, as the stack does. */
function keepWorker(env: Record<string, string>) {
  let known: Stop | undefined;
  const spawnNext = (): WorkerProcess =>
    spawnWorker(known === undefined ? env : { ...env, STOP: JSON.stringify(known) });
  let worker = spawnNext();
  const stopped = new AbortController();
  const running = (async () => {
    for (;;) {
      await worker.gone;
      if (stopped.signal.aborted) return;
      worker = spawnNext();
    }
  })();
  return {
    /** Makes this worker and all later ones freeze at this point. */
    async freezeAt(stop: Stop): Promise<WorkerProcess> {
      known = stop;
      await worker.ready;
      await worker.add(stop);
      return worker;
    },
    async stop(): Promise<void> {
      stopped.abort();
      await worker.kill();
      await running;
    },
  };
}

describe('the deaths of workers during a turn', () => {
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

  it('count once each, and only since the last step [turn.deadly]', async () => {
    const { turn, die } = await runningTurn();

    expect([await die(1), await die(1), await die(2), await die(2)]).toEqual(Array(4).fill(undefined));
    await runtime.db.updateTable('turns').set({ steps: 2 }).where('id', '=', turn.id).execute();
    expect([await die(3), await die(4)]).toEqual([undefined, undefined]);
    expect(await die(5)).toBe(turn.id);
    expect(await die(6)).toBeUndefined();
  });

  it('with another cause must be more before the turn fails [turn.deadly]', async () => {
    const { turn, die } = await runningTurn();
    const keys = Array.from({ length: 9 }, (_, index) => index);

    for (const key of keys) expect(await die(key, false)).toBeUndefined();
    expect(await die(9, false)).toBe(turn.id);
  });
});
