import { ActivityFailure, condition, isCancellation } from '@temporalio/workflow';
import type { AnsweredStep, CallVerdict, StepVerdict } from '../activities/call-model.js';
import type { EvictVerdict } from '../activities/evict.js';
import type { ToolInput } from '../activities/run-tool.js';
import type { Claim } from '../activities/turns.js';
import { type CallOutcome, decideNext, type HeartbeatReason, isBadAnswer } from '../core/turn.js';
import { patiently, quickly } from './activities.js';
import type { Progress } from './progress.js';
import { isFenced, type Settlement } from './settlement.js';

/** The turn that the loop runs. */
export interface LoopInput {
  readonly threadId: string;
  readonly claim: Claim;
  readonly progress: Progress;
  /** Effects whose agents are said to have answered. */
  readonly answered: ReadonlySet<string>;
}

/** How often a step may find the context full, evict, and find it full again. */
const evictionLevels = 12;

/**
 * The heartbeat loop of one turn: evict if under pressure, call the model, run the tools it asked for, decide.
 * A turn that is resumed walks through its stored steps again; none of them is paid for or done a second time.
 */
export async function runLoop(loop: LoopInput): Promise<Settlement> {
  const { claim, progress } = loop;
  const earlierCalls: string[] = [];
  let badAnswers = 0;
  let reason: HeartbeatReason | null = null;

  for (let index = 0; ; index += 1) {
    progress.step(index);
    const answer = await answerStep({ ...loop, index, reason });
    if (answer.kind === 'refused') return { stopReason: answer.stopReason };
    const calls = await runCalls(loop, index, answer.calls);
    const outcome = { style: claim.style, calls, hasText: answer.hasText };
    const decision = decideNext({
      ...outcome,
      stepIndex: index,
      maxSteps: claim.maxSteps,
      rules: claim.rules,
      earlierCalls,
      finishReason: answer.finishReason,
      consecutiveBadAnswers: badAnswers,
    });
    if (decision.kind === 'end') return { stopReason: decision.stopReason };
    badAnswers = isBadAnswer(outcome) ? badAnswers + 1 : 0;
    earlierCalls.push(...calls.map((call) => call.name));
    reason = decision.reason;
  }
}

interface StepInput extends LoopInput {
  readonly index: number;
  readonly reason: HeartbeatReason | null;
}

type StepEnd = AnsweredStep | { readonly kind: 'refused'; readonly stopReason: Settlement['stopReason'] };

/** One step's answer, with as many evictions before it as it takes. Each presses harder than the one before. */
async function answerStep(step: StepInput): Promise<StepEnd> {
  const { threadId, claim, progress, index, reason } = step;
  let mustFit = false;
  for (let level = 0; level < evictionLevels; level += 1) {
    const verdict: StepVerdict = await patiently(
      'callModel',
      {
        threadId,
        turnId: claim.turnId,
        agentId: claim.agentId,
        index,
        reason,
        mustFit,
      },
      { summary: `step ${index + 1} · model`, withinMs: claim.modelTimeoutMs },
    );
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

/** Runs the step's tool calls in the order that the model made them. */
async function runCalls(
  { threadId, claim, progress, answered }: LoopInput,
  index: number,
  calls: readonly CallVerdict[],
): Promise<readonly CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  for (const call of calls) {
    progress.doing(call.name);
    const input = { threadId, turnId: claim.turnId, agentId: claim.agentId, effectId: call.effectId };
    const summary = `step ${index + 1} · ${call.name}`;
    const status =
      call.refused === undefined
        ? await runCall(call, input, { summary, withinMs: claim.toolTimeoutMs, answered })
        : 'error';
    outcomes.push({
      name: call.name,
      requestedHeartbeat: call.requestedHeartbeat,
      status,
      ruleBroken: call.refused === 'rule',
      // A tool that does not exist is as unreadable as broken JSON: three steps of nothing else end the turn.
      badArguments: call.refused === 'arguments' || call.refused === 'unknown_tool',
    });
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
  if (call.runs === 'asking') return askAndWait(input, options);
  if (call.runs === 'quickly') return (await quickly('runTool', input, options.summary)).status;
  try {
    return (await patiently('runTool', input, { summary: options.summary, withinMs: options.withinMs }))
      .status;
  } catch (error) {
    if (isCancellation(error) || isFenced(error) || !(error instanceof ActivityFailure)) throw error;
    // The world failed the tool for as long as it had: the model is told so, and decides what to do.
    return (await quickly('runTool', { ...input, gaveUp: true }, `${options.summary} · gave up`)).status;
  }
}

/** Other agents answer with turns of their own: this one waits for their signal, and collects what they have said. */
async function askAndWait(
  input: ToolInput,
  { summary, withinMs, answered }: CallOptions,
): Promise<'success' | 'error'> {
  const { waitMs } = await patiently('askAgents', input, { summary: `${summary} · ask`, withinMs });
  if (waitMs > 0) await condition(() => answered.has(input.effectId), waitMs);
  return (await quickly('runTool', input, summary)).status;
}
