import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultLimits } from '../../schema/wait-limits.js';
import { waitFor } from '../../stack/waiting.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { createScriptedModels, saying } from '../support/scripted-model.js';
import { holdThread } from '../support/silent-holder.js';

describe('a turn whose thread is locked', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await startRuntime({ models, limits: { ...defaultLimits, lockMs: 400 } });
  });
  afterAll(async () => {
    await runtime.close();
  });

  it('is begun as soon as the thread is free, after however many tries [waits.retried]', async () => {
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
