import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withChaos } from '../support/chaos.js';
import {
  type Disturbance,
  type Remains,
  runScenario,
  type ScenarioRun,
  undisturbedCalls,
} from '../support/kills/kill-scenario.js';
import { describeKilledAgentCalls } from '../support/kills/agent-calls.js';
import { describeKilledCrowds } from '../support/kills/crowds.js';
import { describeKilledIngestions } from '../support/kills/ingestions.js';
import { type Lanes, openLanes } from '../support/kills/lanes.js';
import { describeKilledRefinements } from '../support/kills/refinements.js';
import { describeKilledSummarisers } from '../support/kills/summarisers.js';
import { describeKilledTalks } from '../support/kills/talks.js';

interface Kill {
  readonly when: string;
  readonly how: Disturbance;
  /** How many model calls it may cost. */
  readonly paidTwice: 0 | 1;
}

const kills: readonly Kill[] = withChaos(
  [
    {
      when: 'with the first delivery taken, its first step opened and no model asked',
      how: { freezeAt: 'sql:1:insert into steps' },
      paidTwice: 0,
    },
    { when: "in the middle of the model's answer", how: { halfwayOf: 1 }, paidTwice: 1 },
    {
      when: 'with the answer stored and the activity unacknowledged',
      how: { freezeAt: 'after:callModel:1' },
      paidTwice: 0,
    },
    {
      when: 'with the answer on its way to be committed',
      how: { freezeAt: 'sql:1:insert into "effects"' },
      paidTwice: 1,
    },
    { when: 'with a block written', how: { freezeAt: 'sql:1:insert into block_revisions' }, paidTwice: 0 },
    { when: 'with a passage stored', how: { freezeAt: 'sql:1:insert into "passages"' }, paidTwice: 0 },
    {
      when: 'while the turn is closed',
      how: { freezeAt: "within:settleTurn:update deliveries set state = 'done'" },
      paidTwice: 0,
    },
  ],
  [
    { when: 'with the next delivery taken', how: { freezeAt: 'after:claimTurn:1' }, paidTwice: 0 },
    {
      when: 'with a block edited and the activity unacknowledged',
      how: { freezeAt: 'after:editBlock:1' },
      paidTwice: 0,
    },
    { when: 'with a tool done', how: { freezeAt: 'after:runTool:1' }, paidTwice: 0 },
    { when: 'between steps', how: { freezeAt: 'before:callModel:2' }, paidTwice: 0 },
    { when: 'with something said', how: { freezeAt: 'after:runTool:3' }, paidTwice: 0 },
    {
      when: 'with the turn closed and the activity unacknowledged',
      how: { freezeAt: 'after:settleTurn:1' },
      paidTwice: 0,
    },
  ],
);

const evictionKills: readonly Omit<Kill, 'paidTwice'>[] = withChaos(
  [
    { when: "in the middle of the summariser's answer", how: { halfwayOfSummary: true } },
    { when: 'with the eviction half written', how: { freezeAt: 'sql:1:insert into "evictions"' } },
  ],
  [{ when: 'with the eviction done and unacknowledged', how: { freezeAt: 'after:summarize:1' } }],
);

// All kills are of workers of two lanes: one for each file would mean starting ten more.
let lanes: Lanes;

beforeAll(async () => {
  lanes = await openLanes();
});

afterAll(() => lanes.close());

describe('kill -9 of the worker, with a second message waiting', () => {
  let undisturbed: Remains;
  let runs: readonly (() => Promise<ScenarioRun>)[];

  beforeAll(async () => {
    const [first, ...others] = lanes.each([{}, ...kills.map(({ how }) => how)], runScenario);
    runs = others;
    const run = await first!();
    expect(run.errors).toEqual([]);
    expect(run.asked).toHaveLength(undisturbedCalls);
    undisturbed = run.remains;
  });

  it.each(kills.map((kill, index) => ({ ...kill, index })))(
    'leaves nothing lost or repeated $when [turn.kill-sweep] [turn.kill-cost] [turn.answer-once] [turn.death-seen]',
    async ({ index, paidTwice }) => {
      const run = await runs[index]!();

      const { errors, remains } = run;
      expect({ errors, remains }).toEqual({ errors: [], remains: undisturbed });
      // Where there are more, what was asked is shown, and what Temporal tried again.
      const isTooMany = run.asked.length > undisturbedCalls + paidTwice;
      const asked = isTooMany ? { asked: run.asked, retried: await run.retried() } : undefined;
      expect(asked).toBeUndefined();
      process.stdout.write(`recovered in ${run.recoveryMs} ms\n`);
    },
  );
});

describe('kill -9 of the worker while evicting', () => {
  let undisturbed: Remains;
  let runs: readonly (() => Promise<ScenarioRun>)[];

  beforeAll(async () => {
    const [first, ...others] = lanes.each([{}, ...evictionKills.map(({ how }) => how)], (lane, how) =>
      runScenario(lane, { ...how, underPressure: true }),
    );
    runs = others;
    const run = await first!();
    expect(run.remains.evictions).toContainEqual(
      expect.objectContaining({ level: 0, method: 'summarised_in_chunks' }),
    );
    undisturbed = run.remains;
  });

  it.each(evictionKills.map((kill, index) => ({ ...kill, index })))(
    'leaves nothing lost or repeated $when [turn.kill-sweep]',
    async ({ index }) => {
      const { errors, remains, recoveryMs } = await runs[index]!();

      expect({ errors, remains }).toEqual({ errors: [], remains: undisturbed });
      process.stdout.write(`recovered in ${recoveryMs} ms\n`);
    },
  );
});

describeKilledSummarisers(() => lanes);
describeKilledRefinements(() => lanes);
describeKilledAgentCalls(() => lanes);
describeKilledTalks(() => lanes);
describeKilledIngestions(() => lanes);
describeKilledCrowds(() => lanes);
