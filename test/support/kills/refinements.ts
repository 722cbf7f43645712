import { beforeAll, describe, expect, it } from '@jest/globals';
import { withChaos } from '../chaos.js';
import type { Lanes } from './lanes.js';
import {
  callsEach,
  type RefinementRemains,
  type RefinementRun,
  runRefinement,
} from './refinement-scenario.js';

/** Inside each transaction of a refinement and at one boundary; beside CI at every boundary of every activity. */
const kills: readonly string[] = withChaos(
  [
    'sql:1:insert into "refinements"',
    'sql:1:insert into token_reservations',
    'after:callModel:1',
    'sql:1:insert into "refinement_branches"',
    'sql:1:insert into "watermarks"',
  ],
  [
    'before:openRefinement:1',
    'after:openRefinement:1',
    'before:claimTurn:1',
    'after:claimTurn:1',
    'before:callModel:1',
    'sql:2:insert into steps',
    'sql:3:insert into token_reservations',
    'before:closeRefinement:1',
    'sql:1:insert into block_revisions',
    'after:closeRefinement:1',
  ],
);

/** That a refinement leaves the same where a worker of these lanes is killed in it. */
export function describeKilledRefinements(lanes: () => Lanes): void {
  describe('kill -9 of the worker in a refinement', () => {
    let undisturbed: RefinementRemains;
    let runs: readonly (() => Promise<RefinementRun>)[];

    beforeAll(async () => {
      const [first, ...others] = lanes().each([undefined, ...kills], runRefinement);
      runs = others;
      const run = await first!();
      expect(run.modelCalls).toBe(callsEach);
      undisturbed = run.remains;
    });

    it('leaves, undisturbed, each message read once and both sides’ edits [sleep.kill]', () => {
      expect(undisturbed).toMatchObject({
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

    it.each(kills)('leaves the same where it is killed %s [sleep.kill]', async (freezeAt) => {
      const run = await runs[kills.indexOf(freezeAt)]!();

      expect(run.remains).toEqual(undisturbed);
      expect(run.modelCalls).toBeLessThanOrEqual(callsEach + 1);
      for (const spent of run.spent) expect(spent).toBeLessThanOrEqual(run.limit);
    });
  });
}
