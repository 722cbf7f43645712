import { ApplicationFailure } from '@temporalio/common';
import { WorldFailure } from '../core/failures.js';
import { beginClaim, claimDelivery, type Claim as TakenDelivery } from '../schema/claims.js';
import { inTransactionWithLast, type WithLast } from '../schema/database.js';
import { takeSteps } from './call-model.js';
import { currentExecution, keepingOn } from './keep-alive.js';
import { type PreparedStep, prepareIn } from './prepare-step.js';
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
  const { modelTimeoutMs } = deps;
  return {
    /**
     * Takes the execution's first delivery and, where it is the turn that was asked for and begins with a model call,
     * its first steps. Asked again it takes the same one, and goes on from the first step without an answer.
     * Temporal sets it no limit, for the time that a model call has counts from when the turn was taken.
     */
    async beginTurn({ threadId, turnId }: BeginInput): Promise<BegunTurn> {
      const executionId = currentExecution();
      return keepingOn(async ({ signal, forgotten }) => {
        const { taken, prepared } = await claimAndPrepare(deps, { threadId, turnId, executionId });
        if (taken === undefined) return { claim: null };
        const claim = toClaim(taken, deps);
        if (!beginsWithStep(taken, turnId)) return { claim };
        const limit = createLimit(modelTimeoutMs - taken.ageMs, signal);
        try {
          const place = { fence: { turnId, executionId }, input: firstStep(threadId, claim), prepared };
          return {
            claim,
            steps: await takeSteps(deps, { ...place, forgotten, signal: limit.signal, usedMs: taken.ageMs }),
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

interface Beginning extends BeginInput {
  readonly executionId: string;
}

interface Begun {
  /** Undefined where nothing waits. */
  readonly taken: TakenDelivery | undefined;
  /** What its first step found, where it is to be taken at once. */
  readonly prepared?: PreparedStep;
}

/**
 * Takes the delivery and begins its first step in one transaction. Where that step is turned down, the delivery is
 * taken by itself: the step is then begun again, for what it comes to must be written into a turn that was taken.
 */
async function claimAndPrepare(
  deps: ModelDeps,
  { threadId, turnId, executionId }: Beginning,
): Promise<Begun> {
  const asked = { threadId, ordinal: 0, executionId };
  const fence = { turnId, executionId };
  try {
    return await inTransactionWithLast(deps.db, async (tx): Promise<WithLast<Begun>> => {
      const begun = await beginClaim(tx, asked);
      if (begun === undefined) return { last: Promise.resolve({ taken: undefined }) };
      const { claim: taken, written } = begun;
      if (!beginsWithStep(taken, turnId)) return { last: written.then(() => ({ taken })) };
      const input = firstStep(threadId, toClaim(taken, deps));
      const { last } = await prepareIn(tx, deps, { fence, input });
      return { last: Promise.all([last, written]).then(([prepared]) => ({ taken, prepared })) };
    });
  } catch (error) {
    if (!(error instanceof WorldFailure || error instanceof ApplicationFailure)) throw error;
    return { taken: await claimDelivery(deps.db, asked) };
  }
}

/** Whether the delivery's turn is the one that was asked for, and begins with a model call. */
function beginsWithStep(taken: TakenDelivery, turnId: string): boolean {
  return taken.turnId === turnId && !taken.resumed && !taken.approves && taken.chore === null;
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
