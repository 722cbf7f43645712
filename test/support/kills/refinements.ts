import { describe, expect, it } from '@jest/globals';
import { withChaos } from '../chaos.js';
import type { Point } from '../points.js';
import type { OneKill } from './one-kill.js';
import { callsEach, runRefinement } from './refinement-scenario.js';

/** Inside each transaction of a refinement and at one boundary; beside CI at every boundary of every activity. */
const kills = withChaos<Point>(
  [
    { sql: 'insert into "refinements"' },
    { sql: 'insert into token_reservations' },
    { after: 'callModel' },
    { sql: 'insert into "refinement_branches"' },
    { sql: 'insert into "watermarks"' },
  ],
  [
    { before: 'openRefinement' },
    { after: 'openRefinement' },
    { before: 'claimTurn' },
    { after: 'claimTurn' },
    { before: 'callModel' },
    { sql: 'insert into steps', nth: 2 },
    { sql: 'insert into token_reservations', nth: 3 },
    { before: 'closeRefinement' },
    { sql: 'insert into block_revisions' },
    { after: 'closeRefinement' },
  ],
);

/** That a refinement leaves the same where the worker is killed in it. */
export function describeKilledRefinements(kill: OneKill): void {
  describe('kill -9 of the worker in a refinement', () => {
    const undisturbed = kill.undisturbed(runRefinement);
    const runs = kills.map((point) => {
      const when = JSON.stringify(point);
      return { when, killed: kill.scene(`a refinement, ${when}`, (scene) => runRefinement(scene, point)) };
    });

    it('leaves, undisturbed, each message read once and both sides’ edits [sleep.kill]', async () => {
      const { remains, modelCalls } = await undisturbed();

      expect(modelCalls).toBe(callsEach);
      expect(remains).toMatchObject({
        states: [{ state: 'completed', endedBy: 'finished', round: 0 }],
        blocks: [
          {
            label: 'human',
            value: expect.stringMatching(/^City: Bergen\nName: Ada\nLikes tea\.\nKeeps bees\./),
            revision: 3,
          },
          { state: 'merged', mergedRevision: 3 },
        ],
        readTimes: [1, 1, 1, 1, 1, 1],
        waiting: 0,
      });
    });

    it.each(runs)('leaves the same where it is killed at $when [sleep.kill]', async ({ killed }) => {
      const run = await killed();

      expect(run.remains).toEqual((await undisturbed()).remains);
      expect(run.modelCalls).toBeLessThanOrEqual(callsEach + 1);
      for (const spent of run.spent) expect(spent).toBeLessThanOrEqual(run.limit);
    });
  });
}
