import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isChaos } from '../support/chaos.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels } from '../support/models/scripted-model.js';
import { runStorm, type StormSize } from '../support/storm.js';

/** The smaller one shows the same. */
const size: StormSize = isChaos
  ? { agents: 50, lines: 40, workers: 2, kills: 5 }
  : { agents: 10, lines: 10, workers: 2, kills: 1 };

describe('[block.storm] a storm of agents that append to one block, while workers are killed', () => {
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models: createScriptedModels() });
  });

  afterAll(() => runtime.close());

  it('loses no line and doubles none', async () => {
    const { block, expected, turns, kills, seconds, errors } = await runStorm(runtime, size);

    const lines = block.value.split('\n');
    process.stdout.write(`${lines.length} lines in ${seconds.toFixed(0)} s, ${kills} workers killed\n`);
    expect(turns.map(({ state, steps }) => ({ state, steps }))).toEqual(
      turns.map(() => ({ state: 'completed', steps: size.lines + 1 })),
    );
    expect([...lines].sort()).toEqual([...expected].sort());
    expect(block.revision).toBe(1 + expected.length);
    expect(kills).toBe(size.kills);
    expect(errors).toEqual([]);
  }, 900_000);
});
