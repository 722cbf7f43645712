import { loopStyle } from '../core/agents.js';
import type { PastCall } from '../core/tool-rules.js';
import { type CallOutcome, type Decision, decideNext, isBadAnswer, toCallOutcome } from '../core/turn.js';
import type { LoopAgent } from '../schema/loop-agent.js';
import type { StepInput } from './step-input.js';
import type { AnsweredStep } from './step-verdict.js';

/** An answered step with what its decision depends on. */
export interface DecidedBy {
  readonly input: StepInput;
  readonly agent: LoopAgent;
  /** The turn's tool calls before this step. */
  readonly calls: readonly PastCall[];
  readonly answered: AnsweredStep;
}

/**
 * What follows from an answer: `core.decideNext`. Undefined while calls of it are left to run, and where the agent's
 * extension is to be asked.
 */
export function decideAfter(step: DecidedBy): Decision | undefined {
  const outcomes = outcomesOf(step.answered);
  const { input, agent, calls, answered } = step;
  if (outcomes === undefined || answered.decidedBy !== undefined) return undefined;
  return decideNext({
    style: loopStyle(agent.agentType),
    stepIndex: input.index,
    maxSteps: input.maxSteps,
    rules: agent.toolRules,
    calls: outcomes,
    earlierCalls: calls.map(({ name }) => name),
    hasText: answered.hasText,
    speaksInText: answered.speaksInText === true,
    finishReason: answered.finishReason,
    consecutiveBadAnswers: input.badAnswers,
  });
}

/** The step that follows at once; undefined where the turn ends, or something is left to the workflow. */
export function stepAfter(step: DecidedBy): StepInput | undefined {
  const decision = decideAfter(step);
  const outcomes = outcomesOf(step.answered);
  if (decision?.kind !== 'continue' || outcomes === undefined) return undefined;
  const { input, agent, answered } = step;
  const isBad = isBadAnswer({
    style: loopStyle(agent.agentType),
    calls: outcomes,
    hasText: answered.hasText,
    speaksInText: answered.speaksInText === true,
  });
  return {
    ...input,
    index: input.index + 1,
    reason: decision.reason,
    mustFit: false,
    badAnswers: isBad ? input.badAnswers + 1 : 0,
  };
}

function outcomesOf({ calls }: AnsweredStep): readonly CallOutcome[] | undefined {
  const outcomes = calls.flatMap((call) =>
    call.ran === undefined && call.refused === undefined ? [] : [toCallOutcome(call, call.ran ?? 'error')],
  );
  return outcomes.length < calls.length ? undefined : outcomes;
}
