import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WhenBusy } from '../../client/types.js';
import { type RunningTemporal, startTemporal } from '../../stack/temporal.js';
import { fetchHistories, retriesOf, timelineOf } from '../support/runtime/histories.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/models/scripted-model.js';
import { readTestState } from '../support/run/test-state.js';

const steps = 40;
const half = steps / 2;
/** The number of events after which the server suggests to continue as new. Its default is 4,096. */
const suggestedAfter = 40;
/** The most events that a step adds. */
const eventsOfAStep = 20;

describe('a turn of very many steps', () => {
  const models = createScriptedModels([], { contextWindow: 1_000_000 });
  let temporal: RunningTemporal;
  let runtime: TestRuntime;

  beforeAll(async () => {
    temporal = await startTemporal({
      binary: readTestState().temporal.binary,
      namespace: 'default',
      onProgress: () => undefined,
      tuning: [`limit.historyCount.suggestContinueAsNew=${suggestedAfter}`],
    });
    runtime = await startRuntime({ models, temporal: { ...temporal, namespace: 'default' } });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
    await temporal.stop();
  });

  it('continues in new executions without losing its place or a signal [turn.long]', async () => {
    const agent = await runtime.anAgent({ toolRules: [] });
    const send = (content: string, whenBusy: WhenBusy) =>
      runtime.turns.send({ threadId: agent.id, messages: [{ role: 'user', content }], whenBusy });
    const counting = (step: number): ScriptLine =>
      callOf('send_message', { message: `Step ${step}.`, request_heartbeat: true });
    let next = '';
    const steering: ScriptLine = async () => {
      await send('Count on, faster.', 'steer');
      next = (await send('And after that?', 'queue')).turn.id;
      return callOf('send_message', { message: 'Half.', request_heartbeat: true });
    };
    models.script(
      ...Array.from({ length: steps - 1 }, (_, index) =>
        index === half - 1 ? steering : counting(index + 1),
      ),
      saying('Done.'),
      saying('Rest.'),
    );

    const { turn } = await runtime.turns.send({
      threadId: agent.id,
      messages: [{ role: 'user', content: 'Count.' }],
      options: { maxSteps: steps + 1 },
    });
    const ended = await runtime.turns.result(turn.id);
    const found = await fetchHistories(runtime.temporal, [agent.id]);
    expect(found.flatMap(retriesOf)).toEqual([]);
    expect(ended).toMatchObject({
      ...{ state: 'completed', stopReason: 'end_turn', steps },
    });

    // The next step read the steering message. The queued message got its own turn.
    expect(JSON.stringify(models.requests[half - 1])).not.toContain('faster');
    expect(JSON.stringify(models.requests[half])).toContain('faster');
    await runtime.turns.result(next);
    expect(models.requests).toHaveLength(steps + 1);
    await expectShortHistories(agent.id);
  });

  async function expectShortHistories(threadId: string): Promise<void> {
    const histories = await fetchHistories(runtime.temporal, [threadId]);
    const longest = Math.max(...histories.map(({ events }) => events?.length ?? 0));
    expect(longest).toBeLessThan(suggestedAfter + eventsOfAStep);
    // Each execution begins at the last step of the previous one and repeats no earlier step.
    const first = histories
      .map((history) => timelineOf(history).find((line) => line.startsWith('callModel'))!)
      .map((line) => Number(/step (\d+)/.exec(line)?.[1]))
      .sort((one, other) => one - other);
    expect(first.length).toBeGreaterThan(5);
    expect(new Set(first.filter((step) => step > 1)).size).toBe(first.filter((step) => step > 1).length);
  }
});
