import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { attachTool } from '../../schema/tools/agent-tools.js';
import { listMessages } from '../../schema/threads/messages.js';
import { wireTool } from '../../server/tools/tools-wire.js';
import { packageFile } from '../../stack/processes.js';
import { createRuntimeApp } from '../server/runtime-app.js';
import { anActivityAgent, startActivityWorker } from '../support/tools/activity-workers.js';
import { runCanary } from '../support/runtime/canary.js';
import { startModelServer } from '../support/model-server.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';
import { spawnWorker, workerEnvironment } from '../support/worker-process.js';

const models = createScriptedModels();
let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await startRuntime({ models });
});
afterAll(() => runtime.close());

async function resultsOf(threadId: string) {
  const messages = await listMessages(runtime.db, { threadId, kinds: ['tool'] }, { order: 'asc' });
  return messages.map(({ body }) => body);
}

describe('kill -9 of perdure’s worker while a user’s activity runs', () => {
  it('calls it once, and another worker stores what it returned [tools.activity-once]', async () => {
    let calls = 0;
    const nothing = (): void => undefined;
    const gate = { called: nothing, open: nothing };
    const called = new Promise<void>((resolve) => (gate.called = resolve));
    const open = new Promise<void>((resolve) => (gate.open = resolve));
    const users = await startActivityWorker(runtime, {
      async pay() {
        calls += 1;
        gate.called();
        await open;
        return `Paid, as call ${calls}. ${runCanary()}`;
      },
    });
    const agent = await anActivityAgent(runtime, {
      name: 'pay',
      target: { taskQueue: users.taskQueue },
      agent: { model: 'openai/scripted' },
    });
    const model = await startModelServer((_request, step) =>
      step === 0
        ? { call: 'pay', args: { thinking: 'I pay.', request_heartbeat: true } }
        : { call: 'send_message', args: { thinking: 'I say so.', message: 'It is paid.' } },
    );
    const env = workerEnvironment(runtime, model);
    const first = spawnWorker(env);
    const workers = [first];
    try {
      await first.ready;
      const { turn } = await runtime.turns.send({
        threadId: agent.id,
        messages: [{ role: 'user', content: 'Pay.' }],
      });
      await called;
      await first.kill();
      gate.open();
      const second = spawnWorker(env);
      workers.push(second);

      expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', steps: 2 });

      expect(calls).toBe(1);
      expect((await resultsOf(agent.id))[0]).toMatchObject({
        status: 'success',
        content: `Paid, as call 1. ${runCanary()}`,
      });
    } finally {
      gate.open();
      await Promise.all(workers.map((worker) => worker.kill()));
      await users.stop();
      await model.close();
    }
  });
});

describe('the example’s Python worker', () => {
  it('is called by an agent that has the example’s tool [tools.activity-python]', async () => {
    const python = await startPythonWorker();
    const app = createRuntimeApp(runtime);
    const worker = await runtime.startWorker();
    try {
      const body: unknown = JSON.parse(readFileSync(packageFile('examples/activity-tool/tool.json'), 'utf8'));
      const made = await app.inject({ method: 'PUT', url: '/v1/tools/', payload: body as object });
      const agent = await runtime.anAgent();
      await attachTool(runtime.db, agent.id, wireTool.parse(made.json()).id);
      models.script(
        callOf('book_flight', { city: 'Oslo', seat: 'window', request_heartbeat: true }),
        callOf('book_flight', { city: 'Atlantis', request_heartbeat: true }),
        saying('Booked.'),
      );

      expect(await runtime.tell(agent, 'Book Oslo.')).toMatchObject({ state: 'completed', steps: 3 });

      expect(await resultsOf(agent.id)).toMatchObject([
        { status: 'success', content: '{"booking":"PD-1","city":"Oslo","seat":"window"}' },
        { status: 'error', content: 'Error executing function book_flight: NoSuchCity: nobody flies there' },
        { status: 'success' },
      ]);
    } finally {
      await worker.stop();
      await app.close();
      await python.stop();
    }
  });
});

/** The example as its README starts it, once it polls. Its environment is made first where it is not there. */
async function startPythonWorker(): Promise<{ stop(): Promise<void> }> {
  await promisify(execFile)('sh', [packageFile('examples/activity-tool/install.sh')]);
  const python = packageFile('.cache/python/activity-tool/bin/python');
  const child = spawn(python, [packageFile('examples/activity-tool/worker.py')], {
    env: { ...process.env, TEMPORAL_ADDRESS: runtime.address, TEMPORAL_NAMESPACE: runtime.namespace },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const said = once(createInterface({ input: child.stdout }), 'line');
  const [line] = (await Promise.race([said, gone])) as [unknown];
  if (line !== 'Polling the task queue travel.') throw new Error(`The example ended with ${String(line)}.`);
  return {
    async stop() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
