import { currentExecution, keepingOn, timeUsedMs } from './keep-alive.js';
import type { StepInput } from './step-input.js';
import type { AnsweredStep, StepsVerdict } from './step-verdict.js';
import { type ModelDeps, type StepPlace, takeStep } from './take-step.js';

/** How much of its time an activity may have used when it takes another step, in ms. */
const defaultGoOnForMs = 1_000;

/** Model calls. */
export function modelActivities(deps: ModelDeps) {
  return {
    /**
     * A model call: compiles the context from rows, streams the answer to the turn's log, stores it with all that
     * follows from it without waiting for the world. Where an answer is stored already it is returned, and no model
     * is called. Where the turn goes on and leaves nothing to the workflow, the next step follows at once, as long as
     * this activity is young: each is stored by itself, so that another attempt walks through those that were.
     */
    async callModel(input: StepInput): Promise<StepsVerdict> {
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      // Alive from the start: waiting for the thread's lock must not look like a dead worker.
      return keepingOn((signals) => takeSteps(deps, { fence, input, ...signals, usedMs: timeUsedMs() }));
    },
  };
}

/** Where steps are taken, and what is used already of the time for a model call, in ms: by waiting, by earlier attempts. */
interface StepsPlace extends StepPlace {
  readonly usedMs: number;
}

/**
 * Takes a step, and those that follow while nothing is left to the workflow and nearly all of the time is left: an
 * attempt that walks through stored steps leaves the next one to the workflow, which gives it a time of its own.
 * Throws Turn.Fenced and WorldFailure.
 */
export async function takeSteps(deps: ModelDeps, { usedMs, ...place }: StepsPlace): Promise<StepsVerdict> {
  const goesOnUntil = performance.now() + (deps.goOnForMs ?? defaultGoOnForMs) - usedMs;
  const earlier: AnsweredStep[] = [];
  const { fence, signal, forgotten } = place;
  let { verdict, next } = await takeStep(deps, place);
  while (verdict.kind === 'answered' && next !== undefined && performance.now() < goesOnUntil) {
    const taken = await takeStep(deps, { fence, signal, forgotten, input: next });
    // Evicting is left to the workflow, which asks for this step by itself.
    if (taken.verdict.kind === 'pressure') break;
    earlier.push(verdict);
    ({ verdict, next } = taken);
  }
  return earlier.length === 0 ? verdict : { ...verdict, earlier };
}
