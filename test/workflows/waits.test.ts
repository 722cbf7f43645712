import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorldFailure } from '../../core/failures.js';
import { defaultLimits } from '../../schema/db/wait-limits.js';
import { waitFor } from '../../stack/waiting.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';
import { holdThread } from '../support/faults/silent-holder.js';

describe('a turn whose thread is locked', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await startRuntime({ models, limits: { ...defaultLimits, lockMs: 400 } });
  });
  afterAll(async () => {
    await runtime.close();
  });

  it('begins as soon as the thread is free, after any number of attempts [waits.retried]', async () => {
    const agent = await runtime.anAgent();
    models.script(saying('Hello.'));
    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    const holder = await holdThread(runtime.databaseUrl, agent.id);

    await runtime.startWorker();
    const late = () => runtime.log.filter((line) => line.includes('could not reach the database in time'));
    await waitFor(() => late().length > 1 || undefined, { timeoutMs: 60_000, everyMs: 20 });
    await holder.release();

    expect(await runtime.turns.result(turn.id)).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect(late().length).toBeGreaterThan(1);
  });
});

describe('a turn that hits a rate limit', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await startRuntime({ models, modelTimeoutMs: 60_000 });
    await runtime.startWorker();
  });
  afterAll(async () => {
    await runtime.close();
  });

  it('fails at once when the wait exceeds its time [model.too-late]', async () => {
    const agent = await runtime.anAgent();
    const wait = { retryable: true, retryAfterMs: 6 * 60 * 60_000, status: 429 };
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'They sail.', request_heartbeat: true }),
      () => Promise.reject(new WorldFailure('Model.RateLimited', 'Come back in the evening.', wait)),
    );
    const begun = performance.now();

    const turn = await runtime.tell(agent, 'I sail.');

    expect(turn).toMatchObject({ state: 'failed', stopReason: 'llm_api_error' });
    expect(turn.error).toMatchObject({ type: 'Model.RateLimited' });
    expect(performance.now() - begun).toBeLessThan(50_000);
    expect(models.requests).toHaveLength(2);
  });
});
