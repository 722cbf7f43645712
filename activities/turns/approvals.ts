import { carryOutDecisions } from '../../schema/turns/approvals.js';
import { loadLoopAgent } from '../../schema/threads/loop-agent.js';

import type { ActivityDeps } from '../deps.js';
import { chosenExtension } from '../extensions.js';
import { fenced } from '../failures.js';
import { currentExecution } from '../keep-alive.js';
import { type AnsweredStep, toCallVerdict } from './step-verdict.js';

/** A turn with decisions about an earlier turn's calls. */
export interface DecisionsInput {
  readonly threadId: string;
  readonly turnId: string;
  readonly agentId: string;
}

/** The calls after the decisions. */
export type CarriedOut = Pick<AnsweredStep, 'calls' | 'decidedBy'>;

/** Decisions about calls that waited. */
export function approvalActivities({ db, extensions }: Pick<ActivityDeps, 'db' | 'extensions'>) {
  return {
    /**
     * Stores the results of calls that were denied or that the client ran, and allows approved ones to run. Returns
     * the calls of their step: done, to run, or still waiting. Harmless when repeated. Throws Turn.Fenced.
     */
    async carryOutDecisions(input: DecisionsInput): Promise<CarriedOut> {
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      const agent = await loadLoopAgent(db, input);
      if (agent === undefined) throw fenced();
      const decides = chosenExtension(extensions, agent)?.decides === true;
      const effects = await carryOutDecisions(db, fence, input.threadId);
      if (effects === undefined) throw fenced();
      return {
        calls: effects.map((effect) => toCallVerdict(effect, agent)),
        ...(decides ? { decidedBy: 'extension' } : {}),
      };
    },
  };
}
