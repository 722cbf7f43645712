import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertPassages } from '../../schema/archives/passages.js';
import { fetchHistories, type History } from '../support/runtime/histories.js';
import { giveAPast } from '../support/agents/past.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

const steps = 24;
/** The steps before this one are a warm-up: the first one also claims the turn. */
const firstCounted = 5;
const resultLength = 5_000;
const mostBytesOfAStep = 4_000;
const tolerance = 0.1;

/** The size of the history, as the server counts it, at the start of each model call of the turn. */
function sizesAtModelCalls({ events }: History): number[] {
  let size = 0;
  return (events ?? []).flatMap((event) => {
    const counted = event.workflowTaskStartedEventAttributes?.historySizeBytes;
    if (counted != null) size = Number(counted);
    const { activityType } = event.activityTaskScheduledEventAttributes ?? {};
    return activityType?.name === 'callModel' ? [size] : [];
  });
}

function growthOf(sizes: readonly number[]): number[] {
  return sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
}

describe('the history of a long turn with large contents', () => {
  const models = createScriptedModels([], { contextWindow: 200_000 });
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  it('grows by the same small amount per step while the prompt grows by tool results [scale.flat]', async () => {
    const agent = await runtime.anAgent({ contextWindow: 200_000 });
    await giveAPast(
      runtime.db,
      agent,
      40,
      (index) => `Old ${index}: ${'we talked of the sea. '.repeat(180)}`,
    );
    await insertPassages(runtime.db, agent.id, [{ text: 'The log of the boat. '.repeat(resultLength / 20) }]);
    const search = callOf('archival_memory_search', { query: 'log', request_heartbeat: true });
    models.script(...Array.from({ length: steps - 1 }, () => search), saying('I have read the log.'));

    const turn = await runtime.tell(agent, 'Read the log.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps });
    const [history] = await fetchHistories(runtime.temporal, [agent.id]);
    const sizes = sizesAtModelCalls(history!);
    expect(sizes).toHaveLength(steps);
    const ofSteps = growthOf(sizes).slice(firstCounted - 1);
    expect(Math.max(...ofSteps)).toBeLessThan(mostBytesOfAStep);
    expect(Math.max(...ofSteps) / Math.min(...ofSteps)).toBeLessThan(1 + tolerance);
    // If the history held the prompts, it would grow by more with each step.
    const prompts = models.requests.map((request) => JSON.stringify(request.messages).length);
    expect(Math.min(...growthOf(prompts))).toBeGreaterThan(resultLength);
    expect(sizes.at(-1)).toBeLessThan(prompts[0] ?? 0);
  });
});
