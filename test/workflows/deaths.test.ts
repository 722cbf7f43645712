import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { addWorker, workersWithoutLock } from '../../schema/turns/workers.js';
import { waitFor } from '../../stack/waiting.js';
import { watchDeaths } from '../../worker/deaths.js';
import { openPresence, type Presence } from '../../worker/presence.js';
import { fetchHistories, retriesOf } from '../support/runtime/histories.js';
import { scenarioModel } from '../support/kills/kill-scenario.js';
import type { ModelServer } from '../support/model-server.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels } from '../support/models/scripted-model.js';
import { spawnWorker, workerEnvironment, type WorkerProcess } from '../support/worker-process.js';

describe('a worker during a model call', () => {
  let runtime: TestRuntime;
  let model: ModelServer;
  let workers: readonly [WorkerProcess, WorkerProcess];

  beforeAll(async () => {
    [runtime, model] = await Promise.all([startRuntime({ models: createScriptedModels() }), scenarioModel()]);
    const start = () => spawnWorker(workerEnvironment(runtime, model));
    workers = [start(), start()];
    await Promise.all(workers.map(({ ready }) => ready));
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await model.close();
    await runtime.close();
  });

  /** A turn whose model has sent half of its first answer to this worker, and sends the rest when it is released. */
  const haltedTurn = async () => {
    const agent = await runtime.anAgent({ model: 'openai/scripted' });
    let letGo = (): void => undefined;
    const halfway = new Promise<void>((reached) => {
      model.onHalfway = () => {
        model.onHalfway = undefined;
        reached();
        return new Promise((resolve) => {
          letGo = resolve;
        });
      };
    });
    const messages = [{ role: 'user' as const, content: 'first message' }];
    const { turn } = await runtime.turns.send({ threadId: agent.id, messages });
    await halfway;
    const { raw } = await runtime.temporal.workflow.getHandle(agent.id).describe();
    const holder = raw.pendingActivities?.[0]?.lastWorkerIdentity;
    const worker = (await workers[0].ready) === holder ? workers[0] : workers[1];
    expect(await worker.ready).toBe(holder);
    return {
      agent,
      turn,
      worker,
      letGo: () => {
        letGo();
      },
    };
  };

  it('that is paused is not replaced by another [turn.paused-worker]', async () => {
    const { agent, turn, worker, letGo } = await haltedTurn();

    process.kill(worker.pid, 'SIGSTOP');
    for (let looks = 0; looks < 5; looks += 1) expect(await workersWithoutLock(runtime.db)).toEqual([]);
    letGo();
    process.kill(worker.pid, 'SIGCONT');

    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', steps: 5 });
    const [history] = await fetchHistories(runtime.temporal, [agent.id]);
    expect(retriesOf(history!)).toEqual([]);
    expect(model.requests).toHaveLength(5);
  });

  it('that is killed hands the call over at its death, before a keep-alive timeout [turn.death-seen]', async () => {
    const { agent, turn, worker } = await haltedTurn();

    await worker.kill();

    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', steps: 5 });
    const [history] = await fetchHistories(runtime.temporal, [agent.id]);
    expect(retriesOf(history!)).toEqual([
      expect.stringMatching(/^callModel, attempt 2 after: .*has died\. Worker\.Died$/),
    ]);
    const entries = await waitFor(
      async () => {
        const rows = await runtime.db.selectFrom('workers').select('identity').execute();
        return rows.length === 2 ? rows : undefined;
      },
      { timeoutMs: 30_000 },
    );
    expect(entries).toHaveLength(2);
  });
});

describe('the presence of a worker', () => {
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models: createScriptedModels() });
  });

  afterAll(async () => {
    await runtime.close();
  });

  const absent = async () => (await workersWithoutLock(runtime.db)).map(({ key }) => key);
  const inTime = { timeoutMs: 30_000, everyMs: 20 };

  const cutOff = ({ key }: Presence) =>
    sql`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and objid = ${key} and granted`.execute(runtime.db);

  it('ends at once while its lost connection is being replaced [turn.paused-worker]', async () => {
    const presence = await openPresence(runtime);
    await cutOff(presence);
    const lost = async () => ((await absent()).includes(presence.key) ? true : undefined);
    expect(await waitFor(lost, inTime)).toBe(true);

    let closed: true | undefined;
    void presence.close().then(() => {
      closed = true;
    });

    expect(await waitFor(() => Promise.resolve(closed), inTime)).toBe(true);
    expect(await absent()).toEqual([]);
  });

  it('survives a lost connection with the same key [turn.paused-worker]', async () => {
    const presence = await openPresence(runtime);
    expect(await absent()).toEqual([]);

    await cutOff(presence);

    const returned = async () => ((await absent()).length === 0 ? true : undefined);
    expect(await waitFor(returned, inTime)).toBe(true);
    await presence.close();
    const rows = await runtime.db.selectFrom('workers').selectAll().where('key', '=', presence.key).execute();
    expect(rows).toEqual([]);
  });

  it('is removed after a death, and only one watcher reports it [turn.death-seen]', async () => {
    await addWorker(runtime.db, { key: 77, identity: 'dead' });
    expect(await absent()).toEqual([77]);
    const said: string[] = [];
    const log = { warn: (message: string) => said.push(message), error: () => undefined };
    const watches = [1, 2, 3].map((key) => watchDeaths({ ...runtime, log, key }));

    const forgotten = async () => ((await absent()).length === 0 ? true : undefined);
    expect(await waitFor(forgotten, inTime)).toBe(true);

    await Promise.all(watches.map((stop) => stop()));
    expect(said).toEqual([expect.stringContaining('Worker dead has died')]);
  });
});
