import { claimDelivery } from '../schema/claims.js';
import { takeSteps } from './call-model.js';
import { currentExecution, keepingAlive } from './keep-alive.js';
import type { StepsVerdict } from './step-verdict.js';
import type { ModelDeps } from './take-step.js';
import { type Claim, toClaim } from './turns.js';

export interface BeginInput {
  readonly threadId: string;
  /** The turn whose first steps may be taken at once. */
  readonly turnId: string;
}

/** What an execution begins with. */
export interface BegunTurn {
  /** The thread's oldest unfinished delivery; null where nothing waits. */
  readonly claim: Claim | null;
  /** What its first steps came to, where they were taken. */
  readonly steps?: StepsVerdict;
  /** They were not answered within the time for a model call. */
  readonly overdue?: true;
}

/** Beginning executions. */
export function beginningActivities(deps: ModelDeps) {
  const { db, modelTimeoutMs } = deps;
  return {
    /**
     * Takes the execution's first delivery and, where it is the turn that was asked for and begins with a model call,
     * its first steps. Asked again it takes the same one, and goes on from the first step without an answer.
     * Temporal sets it no limit, for the time that a model call has counts from when the turn was taken.
     */
    async beginTurn({ threadId, turnId }: BeginInput): Promise<BegunTurn> {
      const executionId = currentExecution();
      return keepingAlive(async (signal) => {
        const taken = await claimDelivery(db, { threadId, ordinal: 0, executionId });
        if (taken === undefined) return { claim: null };
        const claim = toClaim(taken, deps);
        const isForAnother = taken.turnId !== turnId || taken.resumed;
        if (isForAnother || taken.approves || taken.chore !== null) return { claim };
        const limit = createLimit(modelTimeoutMs - taken.ageMs, signal);
        try {
          const place = { fence: { turnId, executionId }, input: firstStep(threadId, claim) };
          return {
            claim,
            steps: await takeSteps(deps, { ...place, signal: limit.signal, usedMs: taken.ageMs }),
          };
        } catch (error) {
          if (limit.isOver()) return { claim, overdue: true };
          throw error;
        } finally {
          limit.clear();
        }
      });
    },
  };
}

function firstStep(threadId: string, { turnId, agentId, maxSteps }: Claim) {
  return { threadId, turnId, agentId, index: 0, reason: null, mustFit: false, maxSteps, badAnswers: 0 };
}

/** A signal that aborts with the outer one, or after `ms`. */
function createLimit(ms: number, outer: AbortSignal) {
  const over = new AbortController();
  const timer = setTimeout(() => {
    over.abort();
  }, ms);
  return {
    signal: AbortSignal.any([outer, over.signal]),
    isOver: () => over.signal.aborted && !outer.aborted,
    clear: () => {
      clearTimeout(timer);
    },
  };
}
