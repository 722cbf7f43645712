import { ApplicationFailure } from '@temporalio/common';
import type { ModelAnswer } from '../core/model.js';
import type { StopReason } from '../core/stop-reasons.js';
import { inTransactionWithLast, type Tx, type WithLast } from '../schema/database.js';
import { hasWaiting } from '../schema/deliveries.js';
import type { LoopAgent } from '../schema/loop-agent.js';
import type { Effect } from '../schema/records.js';
import { settleTurn } from '../schema/settling.js';
import {
  beginAnswer,
  type CallResult,
  finishAnswer,
  type StepAnswer,
  SupersededAttemptError,
} from '../schema/step-answers.js';
import type { Fence } from '../schema/fences.js';
import { type Thread, widenLearnedWindow } from '../schema/threads.js';
import type { ActivityDeps } from './deps.js';
import { chosenExtension } from './extensions.js';
import { fenced } from './failures.js';
import type { PreparedStep } from './prepare-step.js';
import { readAnswer } from './read-answer.js';
import { runBeside } from './run-tool.js';
import { decideAfter } from './step-decision.js';
import { answerId, type StepInput } from './step-input.js';
import { type AnsweredStep, type ClosedTurn, toAnsweredStep } from './step-verdict.js';
import { implementationOf } from './tools/implementations.js';
import { textArgument, type ToolImplementation, type TransactionalTool } from './tools/outcome.js';

/** An attempt of a step that has its context. */
export interface Attempt {
  readonly fence: Fence;
  readonly input: StepInput;
  readonly prepared: Extract<PreparedStep, { kind: 'ready' }>;
}

export interface KeepDeps extends Pick<ActivityDeps, 'db' | 'log' | 'extensions'> {
  readonly implementations: ReadonlyMap<string, ToolImplementation>;
}

/**
 * Stores a model's answer, and in the same transaction all that follows from it without waiting for the world: the
 * calls of tools that change rows alone, up to the first other one, and the turn's end where the step was its last.
 * 1. Either all of it is stored or nothing: whoever reads sees no answer with half of its consequences.
 * 2. What fails beside the answer costs no answer: it is then stored alone, and the workflow does the rest.
 * Throws Turn.Fenced.
 */
export async function keepAnswer(
  deps: KeepDeps,
  attempt: Attempt,
  answer: ModelAnswer,
): Promise<AnsweredStep | ClosedTurn> {
  const whole = toStepAnswer(deps, attempt, answer);
  try {
    return await inTransactionWithLast(deps.db, async (tx): Promise<WithLast<AnsweredStep | ClosedTurn>> => {
      const { answered, stored } = await storeAndRun(tx, deps, attempt, whole);
      const stopReason = endAfter(attempt, answered);
      if (stopReason === undefined) return { last: stored.then(() => answered) };
      const [closed] = await Promise.all([close(tx, attempt, { answered, stopReason }), stored]);
      return { last: Promise.resolve(closed) };
    });
  } catch (error) {
    if (isFenced(error)) throw fenced();
    deps.log.warn('What follows from an answer failed beside it: the answer is stored alone.', { error });
    const alone = { ...whole, runNow: [] };
    return inTransactionWithLast(deps.db, async (tx) => {
      const { answered, stored } = await storeAndRun(tx, deps, attempt, alone);
      return { last: stored.then(() => answered) };
    }).catch(() => {
      // Whether the first try was committed after all is not known here: the next attempt reads what is stored.
      throw error;
    });
  }
}

function isFenced(error: unknown): boolean {
  return error instanceof ApplicationFailure || error instanceof SupersededAttemptError;
}

function toStepAnswer(
  { implementations }: KeepDeps,
  { input, prepared }: Attempt,
  answer: ModelAnswer,
): StepAnswer {
  const { agent, step, fitted, epoch, calls, streamTokens } = prepared;
  const messageId = answerId(input.turnId, input.index, step.attempt);
  const toolNames = epoch.tools.map((tool) => tool.name);
  const read = readAnswer(answer, { input, messageId, agent, toolNames, calls });
  return {
    stepId: step.id,
    attempt: step.attempt,
    ...read,
    runNow: runnableNow(read.effects, agent, implementations),
    finishReason: answer.finishReason,
    usage: answer.usage,
    contextWindow: fitted.window,
    epochId: epoch.id,
    streamed: streamTokens,
  };
}

/**
 * The calls up to the first that must wait for the world, for results come in the order of the calls, or that locks a
 * second thing, be it a block or the agent's pins: whoever holds the locks of two would wait in a circle with an agent
 * that takes them the other way round.
 */
function runnableNow(
  effects: readonly Effect[],
  agent: LoopAgent,
  implementations: ReadonlyMap<string, ToolImplementation>,
): readonly Effect[] {
  const planned = effects.filter((effect) => effect.state === 'planned');
  const locked = new Set<string>();
  const later = planned.findIndex((effect) => {
    const tool = findTransactional(implementations, agent, effect);
    if (tool === undefined) return true;
    const labels = labelsOf(tool, effect);
    if (labels === 'alone') return true;
    for (const label of labels) if (label !== '') locked.add(`block ${label}`);
    if (tool.locks !== undefined) locked.add(tool.locks);
    return locked.size > 1;
  });
  return later === -1 ? planned : planned.slice(0, later);
}

function labelsOf({ labels }: TransactionalTool, effect: Effect): readonly string[] | 'alone' {
  if (labels === undefined) return [textArgument(effect, 'label')];
  return typeof labels === 'function' ? labels(effect) : labels;
}

function findTransactional(
  implementations: ReadonlyMap<string, ToolImplementation>,
  agent: LoopAgent,
  { call: { name } }: Effect,
): TransactionalTool | undefined {
  const { toolType = null } = agent.tools.find((one) => one.name === name) ?? {};
  const tool = implementationOf(implementations, { name, toolType });
  return tool?.kind === 'transactional' ? tool : undefined;
}

/** Runs the calls. What they and the answer leave is begun to be stored, for the turn's end to travel with it. */
async function storeAndRun(
  tx: Tx,
  { implementations, extensions }: KeepDeps,
  { fence, input, prepared }: Attempt,
  answer: StepAnswer,
): Promise<{ readonly answered: AnsweredStep; readonly stored: Promise<void> }> {
  const { agent } = prepared;
  const thread = await beginAnswer(tx, fence, input.threadId, answer);
  if (thread === undefined) throw fenced();
  const results: CallResult[] = [];
  const writing: (Promise<unknown> | undefined)[] = [];
  for (const effect of answer.runNow) {
    const tool = findTransactional(implementations, agent, effect);
    if (tool === undefined) throw new Error(`${effect.call.name} can't be run beside its answer.`);
    const returnLimit = agent.tools.find(({ name }) => name === effect.call.name)?.returnLimit ?? null;
    const { result, written } = await runBeside({ tx, thread }, { effect, agent, returnLimit }, tool);
    results.push(result);
    writing.push(written);
  }
  const effects = answer.effects.map((effect): Effect => {
    const result = results.find(({ effectId }) => effectId === effect.id);
    return result === undefined ? effect : { ...effect, state: 'done', status: result.status };
  });
  const { finishReason, message } = answer;
  return {
    answered: toAnsweredStep(
      agent,
      { effects, body: message.body, finishReason },
      chosenExtension(extensions, agent),
    ),
    stored: finish(tx, thread, { answer, results, model: agent.model, writing }),
  };
}

interface Finishing {
  readonly answer: StepAnswer;
  readonly results: readonly CallResult[];
  readonly model: string;
  /** What the calls have left to be written with their results. */
  readonly writing: readonly (Promise<unknown> | undefined)[];
}

async function finish(tx: Tx, thread: Thread, { answer, results, model, writing }: Finishing): Promise<void> {
  const taken = { model, tokens: answer.usage.promptTokens };
  await Promise.all([
    ...writing,
    finishAnswer(tx, thread, answer, results),
    taken.tokens > answer.contextWindow ? widenLearnedWindow(tx, thread.id, taken) : undefined,
  ]);
}

/** How the turn ends where the step was its last, and nothing of it is left to run. */
function endAfter({ input, prepared }: Attempt, answered: AnsweredStep): StopReason | undefined {
  const { agent, calls } = prepared;
  const decision = decideAfter({ input, agent, calls, answered });
  return decision?.kind === 'end' ? decision.stopReason : undefined;
}

async function close(
  tx: Tx,
  { fence, input }: Attempt,
  { answered, stopReason }: { readonly answered: AnsweredStep; readonly stopReason: StopReason },
): Promise<ClosedTurn> {
  const [, more] = await Promise.all([
    settleTurn(tx, { ...fence, stopReason }),
    hasWaiting(tx, input.threadId),
  ]);
  return { kind: 'closed', stopReason, more, calls: answered.calls.map(({ name }) => name) };
}
