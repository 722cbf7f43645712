import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow';
import type { EvictVerdict } from '../activities/evict.js';
import type { ToolInput } from '../activities/run-tool.js';
import type { AnsweredStep, CallVerdict, ClosedTurn, StepsVerdict } from '../activities/step-verdict.js';
import type { Claim } from '../activities/turns.js';
import type { ChoreKind } from '../core/chores.js';
import {
  type CallOutcome,
  type Decision,
  decideNext,
  type HeartbeatReason,
  isBadAnswer,
  type StepOutcome,
  toCallOutcome,
} from '../core/turn.js';
import { patiently, quickly } from './activities.js';
import type { Progress } from './progress.js';
import { isFenced, type Settlement } from './settlement.js';

/** The turn that the loop runs. */
export interface LoopInput {
  readonly threadId: string;
  readonly claim: Claim;
  /** What the first steps came to, where they were taken with the delivery. */
  readonly first?: StepsVerdict;
  readonly progress: Progress;
  /** Effects whose agents are said to have answered. */
  readonly answered: ReadonlySet<string>;
}

/** How often a step may find the context full, evict, and find it full again. */
const evictionLevels = 12;

/** How the loop ended: the turn is to be closed, or its last step has closed it. */
export type LoopEnd = ({ readonly kind: 'open' } & Settlement) | ClosedTurn;

/**
 * The heartbeat loop of one turn: evict if under pressure, call the model, run the tools it asked for, decide. What
 * the model call has done already (tools that change rows alone, the turn's end) its verdict says.
 * A turn that is resumed walks through its stored steps again; none of them is paid for or done a second time.
 */
export async function runLoop(loop: LoopInput): Promise<LoopEnd> {
  const { claim, progress } = loop;
  const earlierCalls: string[] = [];
  let badAnswers = 0;
  let reason: HeartbeatReason | null = null;

  if (claim.chore !== undefined) return doChore(loop, claim.chore);
  if (claim.approves === true) {
    const begun = await carryOut(loop);
    if (begun.decision.kind === 'end') return { kind: 'open', stopReason: begun.decision.stopReason };
    reason = begun.decision.reason;
    earlierCalls.push(...begun.calls.map((call) => call.name));
  }

  for (let index = 0; ; index += 1) {
    progress.step(index);
    const { earlier = [], ...answer } = await answerStep({ ...loop, index, reason, badAnswers });
    for (const step of earlier) {
      // All of its calls were run, and it was followed by another.
      const calls = await runCalls(loop, `step ${index + 1}`, step.calls);
      badAnswers = isBadAnswer(outcomeOf(loop, step, calls)) ? badAnswers + 1 : 0;
      earlierCalls.push(...calls.map((call) => call.name));
      index += 1;
      progress.step(index);
    }
    if (answer.kind === 'refused') return { kind: 'open', stopReason: answer.stopReason };
    if (answer.kind === 'closed') {
      for (const name of answer.calls) progress.doing(name);
      return answer;
    }
    const calls = await runCalls(loop, `step ${index + 1}`, answer.calls);
    if (answer.calls.some((call) => call.awaits === true)) {
      return { kind: 'open', stopReason: 'requires_approval' };
    }
    const outcome = outcomeOf(loop, answer, calls);
    const decision = await decide(loop, answer.decidedBy, {
      ...outcome,
      stepIndex: index,
      maxSteps: claim.maxSteps,
      rules: claim.rules,
      earlierCalls,
      finishReason: answer.finishReason,
      consecutiveBadAnswers: badAnswers,
    });
    if (decision.kind === 'end') return { kind: 'open', stopReason: decision.stopReason };
    badAnswers = isBadAnswer(outcome) ? badAnswers + 1 : 0;
    earlierCalls.push(...calls.map((call) => call.name));
    reason = decision.reason;
  }
}

/** Whether the turn goes on. An extension is asked by an activity: its code need not answer the same when replayed. */
async function decide(
  { threadId, claim }: LoopInput,
  decidedBy: AnsweredStep['decidedBy'],
  step: StepOutcome,
): Promise<Decision> {
  if (decidedBy === undefined) return decideNext(step);
  const input = { threadId, turnId: claim.turnId, agentId: claim.agentId, step };
  return quickly('decideStep', input, { summary: `step ${step.stepIndex + 1} · decide` });
}

function outcomeOf({ claim }: LoopInput, step: AnsweredStep, calls: readonly CallOutcome[]) {
  const { hasText, speaksInText = false } = step;
  return { style: claim.style, calls, hasText, speaksInText };
}

/** What a turn does to its thread instead of thinking. */
async function doChore({ threadId, claim, progress }: LoopInput, chore: ChoreKind): Promise<LoopEnd> {
  progress.doing(chore);
  const turn = { threadId, turnId: claim.turnId };
  if (chore === 'compact') {
    await patiently(
      'evict',
      { ...turn, agentId: claim.agentId, index: 0, level: 0, overflowed: false },
      { summary: 'compact', withinMs: claim.modelTimeoutMs },
    );
    return { kind: 'open', stopReason: 'end_turn' };
  }
  const { done } = await quickly('doChore', turn, { summary: chore });
  return { kind: 'open', stopReason: done ? 'end_turn' : 'error' };
}

/** What the turn begins with that was sent to decide about calls of an earlier one: their step is finished here. */
async function carryOut(
  loop: LoopInput,
): Promise<{ readonly decision: Decision; readonly calls: readonly CallOutcome[] }> {
  const { threadId, claim } = loop;
  const input = { threadId, turnId: claim.turnId, agentId: claim.agentId };
  const decided = await quickly('carryOutDecisions', input, { summary: 'carry out what was decided' });
  const calls = await runCalls(loop, 'approved', decided.calls);
  if (decided.calls.some((call) => call.awaits === true)) {
    return { decision: { kind: 'end', stopReason: 'requires_approval' }, calls };
  }
  const decision = await decide(loop, decided.decidedBy, {
    style: claim.style,
    calls,
    hasText: false,
    // No step of this turn yet: the limit is for those to come.
    stepIndex: -1,
    maxSteps: claim.maxSteps,
    rules: claim.rules,
    earlierCalls: [],
    finishReason: 'tool_calls',
    consecutiveBadAnswers: 0,
  });
  return { decision, calls };
}

interface StepInput extends LoopInput {
  readonly index: number;
  readonly reason: HeartbeatReason | null;
  readonly badAnswers: number;
}

type StepEnd = (
  AnsweredStep | ClosedTurn | { readonly kind: 'refused'; readonly stopReason: Settlement['stopReason'] }
) &
  Pick<StepsVerdict, 'earlier'>;

/**
 * A step's answer, with as many evictions before it as it takes, each of which presses harder than the one before.
 * Where the steps after it have followed in the same activity, the last one's answer, and those before it as `earlier`.
 */
async function answerStep(step: StepInput): Promise<StepEnd> {
  const { threadId, claim, first, progress, index, reason, badAnswers } = step;
  let mustFit = false;
  for (let level = 0; level < evictionLevels; level += 1) {
    const isFirst = index === 0 && level === 0;
    const verdict: StepsVerdict =
      (isFirst ? first : undefined) ??
      (await patiently(
        'callModel',
        {
          threadId,
          turnId: claim.turnId,
          agentId: claim.agentId,
          index,
          reason,
          mustFit,
          maxSteps: claim.maxSteps,
          badAnswers,
        },
        { summary: `step ${index + 1} · model`, withinMs: claim.modelTimeoutMs },
      ));
    if (verdict.kind !== 'pressure') return verdict;
    progress.doing('evicting');
    const eviction: EvictVerdict = await patiently(
      'evict',
      {
        threadId,
        turnId: claim.turnId,
        agentId: claim.agentId,
        index,
        level,
        overflowed: verdict.overflowed,
      },
      { summary: `step ${index + 1} · evict, level ${level}`, withinMs: claim.modelTimeoutMs },
    );
    mustFit = eviction.kind === 'nothing_left';
  }
  return { kind: 'refused', stopReason: 'context_window_overflow_in_system_prompt' };
}

/** Runs the step's tool calls in the order that the model made them, but for those that wait for an approval. */
async function runCalls(
  { threadId, claim, progress, answered }: LoopInput,
  where: string,
  calls: readonly CallVerdict[],
): Promise<readonly CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  for (const call of calls) {
    if (call.awaits === true) continue;
    progress.doing(call.name);
    const input = { threadId, turnId: claim.turnId, agentId: claim.agentId, effectId: call.effectId };
    const options = {
      summary: `${where} · ${call.name}`,
      withinMs: call.withinMs ?? claim.toolTimeoutMs,
    };
    const isDone = call.refused !== undefined || call.ran !== undefined;
    const status = isDone ? (call.ran ?? 'error') : await runCall(call, input, { ...options, answered });
    outcomes.push(toCallOutcome(call, status));
  }
  return outcomes;
}

interface CallOptions {
  readonly summary: string;
  readonly withinMs: number;
  readonly answered: ReadonlySet<string>;
}

async function runCall(
  call: CallVerdict,
  input: ToolInput,
  options: CallOptions,
): Promise<'success' | 'error'> {
  const { summary, withinMs } = options;
  try {
    if (call.runs === 'asking') return await askAndWait(input, options);
    const run = { summary, withinMs };
    const running =
      call.runs === 'quickly' ? quickly('runTool', input, run) : patiently('runTool', input, run);
    return (await running).status;
  } catch (error) {
    if (isCancellation(error) || isFenced(error) || !(error instanceof ActivityFailure)) throw error;
    // It failed for as long as it had: the model is told so, and decides what to do.
    const gaveUp = { summary: `${summary} · gave up` };
    return (await quickly('runTool', { ...input, gaveUp: true }, gaveUp)).status;
  }
}

/** Other agents answer with turns of their own: this one waits for their signal, and collects what they have said. */
async function askAndWait(
  input: ToolInput,
  { summary, withinMs, answered }: CallOptions,
): Promise<'success' | 'error'> {
  const { waitMs } = await patiently('askAgents', input, { summary: `${summary} · ask`, withinMs });
  if (waitMs > 0) await condition(() => answered.has(input.effectId), waitMs);
  return (await quickly('runTool', input, { summary, withinMs })).status;
}
