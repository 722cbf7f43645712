import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSummary } from '../../schema/threads/evictions.js';
import { readThread } from '../../schema/threads/threads.js';
import { runCanary } from '../support/runtime/canary.js';
import { type ChatRequest, type ModelServer, startModelServer } from '../support/model-server.js';
import { giveAPast } from '../support/agents/past.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels } from '../support/models/scripted-model.js';
import { spawnWorker, type WorkerProcess } from '../support/worker-process.js';

describe('a summariser in another process', () => {
  let runtime: TestRuntime;
  let model: ModelServer;
  const workers: WorkerProcess[] = [];

  beforeAll(async () => {
    runtime = await startRuntime({ models: createScriptedModels() });
    model = await startModelServer(() => ({ status: 500 }));
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await model.close();
    await runtime.close();
  });

  const isSummaryRequest = (request: ChatRequest) => (request.tools ?? []).length === 0;

  const startWorker = async () => {
    const worker = spawnWorker({
      DATABASE_URL: runtime.databaseUrl,
      TEMPORAL_ADDRESS: runtime.address,
      TEMPORAL_NAMESPACE: runtime.namespace,
      PERDURE_TASK_QUEUE: runtime.taskQueue,
      OPENAI_BASE_URL: model.baseUrl,
    });
    workers.push(worker);
    await worker.ready;
    return worker;
  };

  const anOldAgent = async () => {
    const agent = await runtime.anAgent({ model: 'openai/scripted', contextWindow: 8_000 });
    await giveAPast(runtime.db, agent, 40, (i) => `Old message ${i}: ${'we talked of the sea. '.repeat(30)}`);
    return agent;
  };

  it('that is killed in its second part is not paid for the first one again [eviction.paid-once]', async () => {
    const agent = await anOldAgent();
    const asked: string[] = [];
    model.policy = (request) => {
      if (!isSummaryRequest(request)) return { call: 'send_message', args: { message: 'Aye.' } };
      asked.push(JSON.stringify(request.messages));
      return { text: `We spoke of part ${new Set(asked).size}. ${runCanary()}` };
    };
    const inSecondPart = new Promise<void>((resolve) => {
      model.onHalfway = (request) => {
        if (!isSummaryRequest(request) || asked.length < 2) return Promise.resolve();
        resolve();
        return new Promise(() => undefined);
      };
    });
    const first = await startWorker();
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Ahoy.' }],
    });

    await inSecondPart;
    await first.kill();
    model.onHalfway = undefined;
    const second = await startWorker();

    expect(await runtime.turns.result(turn.id)).toMatchObject({ stopReason: 'end_turn' });
    expect(asked[2]).toBe(asked[1]);
    expect(asked).toHaveLength(new Set(asked).size + 1);
    await second.kill();
  });

  it('that does not stop is cut off, and its beginning is used [eviction.rambling]', async () => {
    const agent = await anOldAgent();
    model.policy = (request) =>
      isSummaryRequest(request)
        ? { text: 'And then we talked of it. '.repeat(3_000) }
        : { call: 'send_message', args: { message: 'Aye.' } };
    // The other half never comes.
    model.onHalfway = (request) =>
      isSummaryRequest(request) ? new Promise(() => undefined) : Promise.resolve();
    await startWorker();

    const turn = await runtime.tell(agent, 'Ahoy.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    const thread = await readThread(runtime.db, agent.id);
    expect(await readSummary(runtime.db, thread!)).toMatch(/^(And then we talked of it\. ?){50,}$/);
  });
});
