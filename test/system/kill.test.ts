import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withChaos } from '../support/chaos.js';
import { describeKilledAgentCalls } from '../support/kills/agent-calls.js';
import { describeKilledCrowds } from '../support/kills/crowds.js';
import { describeKilledIngestions } from '../support/kills/ingestions.js';
import { runScenario, undisturbedCalls, type Where } from '../support/kills/kill-scenario.js';
import { planKill } from '../support/kills/one-kill.js';
import { describeKilledRefinements } from '../support/kills/refinements.js';
import { describeKilledSummarisers } from '../support/kills/summarisers.js';
import { describeKilledTalks } from '../support/kills/talks.js';

/** When the worker is killed, and how many model calls it may cost. */
type Kill = readonly [when: string, where: Where, paidTwice: 0 | 1];

const kills = withChaos<Kill>(
  [
    [
      'with the first delivery taken, its first step opened and no model asked',
      { sql: 'insert into steps' },
      0,
    ],
    ["in the middle of the model's answer", { halfwayOf: 1 }, 1],
    ['with the answer stored and the activity unacknowledged', { after: 'callModel' }, 0],
    ['with the answer on its way to be committed', { sql: 'insert into "effects"' }, 1],
    ['with a block written', { sql: 'insert into block_revisions' }, 0],
    ['with a passage stored', { sql: 'insert into "passages"' }, 0],
    ['while the turn is closed', { sql: "update deliveries set state = 'done'", within: 'settleTurn' }, 0],
  ],
  [
    ['with the next delivery taken', { after: 'claimTurn' }, 0],
    ['with a block edited and the activity unacknowledged', { after: 'editBlock' }, 0],
    ['with a tool done', { after: 'runTool' }, 0],
    ['between steps', { before: 'callModel', nth: 2 }, 0],
    ['with something said', { after: 'runTool', nth: 3 }, 0],
    ['with the turn closed and the activity unacknowledged', { after: 'settleTurn' }, 0],
  ],
);

const evictionKills = withChaos<readonly [when: string, where: Where]>(
  [
    ["in the middle of the summariser's answer", { halfwayOf: 'summary' }],
    ['with the eviction half written', { sql: 'insert into "evictions"' }],
  ],
  [['with the eviction done and unacknowledged', { after: 'summarize' }]],
);

const kill = planKill();
beforeAll(() => kill.begin());
afterAll(() => kill.close());

describe('kill -9 of the worker, with a second message waiting', () => {
  const undisturbed = kill.undisturbed((scene) => runScenario(scene, {}));
  const runs = kills.map(([when, where, paidTwice]) => {
    const killed = kill.scene(`a turn, ${when}`, (scene) => runScenario(scene, { where }));
    return { when, paidTwice, killed };
  });

  it('asks the model once for each step where nothing is killed [turn.kill-cost]', async () => {
    expect((await undisturbed()).asked).toHaveLength(undisturbedCalls);
  });

  it.each(runs)(
    'leaves nothing lost or repeated $when [turn.kill-sweep] [turn.kill-cost] [turn.answer-once] [turn.death-seen]',
    async ({ killed, paidTwice }) => {
      const run = await killed();

      expect(run.remains).toEqual((await undisturbed()).remains);
      // Where there are more, what was asked is shown, and what Temporal tried again.
      const isTooMany = run.asked.length > undisturbedCalls + paidTwice;
      const asked = isTooMany ? { asked: run.asked, retried: await run.retried() } : undefined;
      expect(asked).toBeUndefined();
      process.stdout.write(`recovered in ${run.recoveryMs} ms\n`);
    },
  );
});

describe('kill -9 of the worker while evicting', () => {
  const undisturbed = kill.undisturbed((scene) => runScenario(scene, { underPressure: true }));
  const runs = evictionKills.map(([when, where]) => {
    const play = kill.scene(when, (scene) => runScenario(scene, { where, underPressure: true }));
    return { when, killed: play };
  });

  it.each(runs)('leaves nothing lost or repeated $when [turn.kill-sweep]', async ({ killed }) => {
    const expected = (await undisturbed()).remains;
    expect(expected.evictions).toContainEqual(
      expect.objectContaining({ level: 0, method: 'summarised_in_chunks' }),
    );
    expect((await killed()).remains).toEqual(expected);
  });
});

describeKilledSummarisers(kill);
describeKilledRefinements(kill);
describeKilledAgentCalls(kill);
describeKilledTalks(kill);
describeKilledIngestions(kill);
describeKilledCrowds(kill);

describe('the workers, of which one was killed', () => {
  it('complain of nothing [turn.kill-sweep]', () => {
    expect(kill.errors()).toEqual([]);
  });
});
