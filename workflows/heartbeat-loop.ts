import { workflowInfo } from '@temporalio/workflow';
import type { EvictVerdict } from '../activities/threads/evict.js';
import type { AnsweredStep, StepVerdict } from '../activities/turns/step-verdict.js';
import type { ChoreKind } from '../core/turns/chores.js';
import {
  type CallOutcome,
  type Decision,
  decideNext,
  type HeartbeatReason,
  isBadAnswer,
  type StepOutcome,
} from '../core/turns/turn.js';
import { patiently, quickly } from './activities.js';
import type { Settlement } from './settlement.js';
import { type RunningTurn, runCalls } from './tool-calls.js';

/**
 * The end of the loop: either the turn must be settled, or the history is full and the turn goes on in another
 * execution.
 */
export type LoopEnd = ({ readonly kind: 'ended' } & Settlement) | { readonly kind: 'unfinished' };

/** How often a step may evict and still find the context full. */
const evictionLevels = 12;

/**
 * The heartbeat loop of one turn: evict under pressure, call the model, run its tool calls, decide. A resumed turn
 * begins at its last stored answer, which is neither paid for nor carried out again.
 */
export async function runLoop(turn: RunningTurn): Promise<LoopEnd> {
  const { claim, progress } = turn;
  if (claim.chore !== undefined) return doChore(turn, claim.chore);
  const earlierCalls = new Set(claim.begun?.earlierCalls);
  let badAnswers = 0;
  let reason: HeartbeatReason | null = null;

  if (claim.approves === true && claim.begun === undefined) {
    const { decision, calls } = await carryOut(turn);
    if (decision.kind === 'end') return { kind: 'ended', stopReason: decision.stopReason };
    reason = decision.reason;
    for (const { name } of calls) earlierCalls.add(name);
  }
  for (let index = claim.begun?.index ?? 0; ; index += 1) {
    progress.step(index);
    const answer = await answerStep(turn, index, reason);
    if (answer.kind === 'refused') return { kind: 'ended', stopReason: answer.stopReason };
    const calls = await runCalls(turn, `step ${index + 1}`, answer.calls);
    if (isAwaiting(answer.calls)) return { kind: 'ended', stopReason: 'requires_approval' };
    const outcome = {
      ...toOutcome(turn, calls, answer),
      stepIndex: index,
      consecutiveBadAnswers: badAnswers,
    };
    const decision = await decide(turn, answer, { ...outcome, earlierCalls: [...earlierCalls] });
    if (decision.kind === 'end') return { kind: 'ended', stopReason: decision.stopReason };
    if (workflowInfo().continueAsNewSuggested) return { kind: 'unfinished' };
    badAnswers = isBadAnswer(outcome) ? badAnswers + 1 : 0;
    for (const { name } of calls) earlierCalls.add(name);
    reason = decision.reason;
  }
}

/** The model's answer to a step, after as many evictions as needed. Each one keeps less than the one before. */
async function answerStep(turn: RunningTurn, index: number, reason: HeartbeatReason | null) {
  const { threadId, claim, progress } = turn;
  const step = { threadId, turnId: claim.turnId, agentId: claim.agentId, index };
  const withinMs = claim.modelTimeoutMs;
  let mustFit = false;
  for (let level = 0; level < evictionLevels; level += 1) {
    const summary = `step ${index + 1} · model ${claim.model}`;
    const verdict: StepVerdict = await patiently(
      'callModel',
      { ...step, reason, mustFit },
      { summary, withinMs },
    );
    if (verdict.kind !== 'pressure') return verdict;
    progress.doing('evicting');
    const eviction: EvictVerdict = await patiently(
      'summarize',
      { ...step, level, overflowed: verdict.overflowed },
      { summary: `summarize · level ${level + 1}`, withinMs },
    );
    mustFit = eviction.kind === 'nothing_left';
  }
  return { kind: 'refused', stopReason: 'context_window_overflow_in_system_prompt' } as const;
}

/** Whether the turn goes on. An activity asks an extension, because its code may answer differently in a replay. */
async function decide(
  { threadId, claim }: RunningTurn,
  { decidedBy }: Pick<AnsweredStep, 'decidedBy'>,
  step: StepOutcome,
): Promise<Decision> {
  if (decidedBy === undefined) return decideNext(step);
  const input = { threadId, turnId: claim.turnId, agentId: claim.agentId, step };
  return quickly('decideStep', input, { summary: `step ${step.stepIndex + 1} · decide` });
}

function toOutcome({ claim }: RunningTurn, calls: readonly CallOutcome[], answer: AnsweredStep) {
  const { style, maxSteps, rules } = claim;
  const { hasText, speaksInText = false, finishReason } = answer;
  return { style, maxSteps, rules, calls, hasText, speaksInText, finishReason };
}

function isAwaiting(calls: AnsweredStep['calls']): boolean {
  return calls.some((call) => call.awaits === true);
}

/** Begins a turn with decisions about an earlier turn's calls, by finishing the step of those calls. */
async function carryOut(
  turn: RunningTurn,
): Promise<{ readonly decision: Decision; readonly calls: readonly CallOutcome[] }> {
  const { threadId, claim } = turn;
  const input = { threadId, turnId: claim.turnId, agentId: claim.agentId };
  const decided = await quickly('carryOutDecisions', input, { summary: 'carry out what was decided' });
  const calls = await runCalls(turn, 'approved', decided.calls);
  if (isAwaiting(decided.calls)) {
    return { decision: { kind: 'end', stopReason: 'requires_approval' }, calls };
  }
  const answer = { ...decided, kind: 'answered', hasText: false, finishReason: 'tool_calls' } as const;
  // This turn has no step yet. The step limit applies to those that follow.
  const place = { stepIndex: -1, earlierCalls: [], consecutiveBadAnswers: 0 };
  const decision = await decide(turn, decided, { ...toOutcome(turn, calls, answer), ...place });
  return { decision, calls };
}

/** Does the turn's chore instead of calling the model. */
async function doChore({ threadId, claim, progress }: RunningTurn, chore: ChoreKind): Promise<LoopEnd> {
  progress.doing(chore);
  const turn = { threadId, turnId: claim.turnId };
  if (chore === 'compact') {
    const input = { ...turn, agentId: claim.agentId, index: 0, level: 0, overflowed: false };
    await patiently('summarize', input, { summary: 'summarize · level 1', withinMs: claim.modelTimeoutMs });
    return { kind: 'ended', stopReason: 'end_turn' };
  }
  const { done } = await quickly('doChore', turn, { summary: chore });
  return { kind: 'ended', stopReason: done ? 'end_turn' : 'error' };
}
