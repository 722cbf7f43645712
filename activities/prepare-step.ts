import { loopStyle } from '../core/agents.js';
import { derivedId } from '../core/ids.js';
import { heartbeatText } from '../core/prompts.js';
import type { BudgetGrant } from '../core/refinement.js';
import type { StopReason } from '../core/stop-reasons.js';
import type { PastCall } from '../core/tool-rules.js';
import { windowOf } from '../core/window.js';
import { inTransaction, type Tx } from '../schema/database.js';
import { hasWaiting } from '../schema/deliveries.js';
import type { Epoch } from '../schema/epochs.js';
import { closedAs, type Fence, holdFence } from '../schema/fences.js';
import { type LoopAgent, loadLoopAgent } from '../schema/loop-agent.js';
import { loadQueue } from '../schema/messages.js';
import type { Effect, Step } from '../schema/records.js';
import { absorbSteers, waitingSteers } from '../schema/steering.js';
import { openStep } from '../schema/step-writes.js';
import { getStep, lastCallSize, stepEffects, turnCalls } from '../schema/steps.js';
import { lockThread, type Thread } from '../schema/threads.js';
import { reserveTokens } from '../schema/token-budgets.js';
import { appendToTranscript } from '../schema/transcript.js';
import { appendEvents } from '../schema/turn-events.js';
import { ensureEpoch, findMemory } from './context-epoch.js';
import type { ActivityDeps } from './deps.js';
import { fenced } from './failures.js';
import { answerId, messageOf, type StepInput, stepIdOf } from './step-input.js';
import { type FittedRequest, fitRequest } from './fit-request.js';

/** What a step finds when it begins. */
export type PreparedStep =
  /** An earlier attempt stored an answer: it is not paid for again. */
  | {
      readonly kind: 'answered';
      readonly agent: LoopAgent;
      readonly step: Step;
      readonly effects: readonly Effect[];
      readonly calls: readonly PastCall[];
    }
  /** An earlier attempt was the last of the turn, and closed it. */
  | { readonly kind: 'closed'; readonly stopReason: StopReason; readonly more: boolean }
  | { readonly kind: 'pressure' }
  | { readonly kind: 'prefix_too_large' }
  /** What the turn may spend does not suffice for another step. */
  | { readonly kind: 'over_budget' }
  | {
      readonly kind: 'ready';
      readonly agent: LoopAgent;
      readonly step: Step;
      readonly epoch: Epoch;
      readonly fitted: FittedRequest;
      /** The turn's tool calls before this step. */
      readonly calls: readonly PastCall[];
      readonly streamTokens: boolean;
    };

/**
 * Everything before the model call, in one transaction with the thread locked: the fence, messages that steer the
 * turn, the heartbeat that says why there is this step, notices of memory that others changed, the context.
 * Only what is about to be sent to the model opens an attempt of the step. Throws Turn.Fenced and WorldFailure.
 */
export async function prepareStep(
  { db, models, extensions }: Pick<ActivityDeps, 'db' | 'models' | 'extensions'>,
  fence: Fence,
  input: StepInput,
): Promise<PreparedStep> {
  return inTransaction(db, async (tx): Promise<PreparedStep> => {
    const found = await findAll(tx, fence, input);
    if (found.kind === 'closed') return found;
    const { agent, earlier, calls } = found;
    if (earlier?.state === 'answered') {
      return { kind: 'answered', agent, step: earlier, effects: await stepEffects(tx, earlier.id), calls };
    }
    const model = models.resolve(agent.model).description;
    const told = await tellWhy(tx, found.thread, agent, input);
    const absorbed = await absorbSteers(tx, told, { turnId: input.turnId, steers: found.steers });
    const { memory } = found;
    const { thread, epoch } = await ensureEpoch(tx, {
      ...{ thread: absorbed, agent, input, memory, extensions },
    });
    const [messages, measured] = await Promise.all([
      loadQueue(tx, thread.id),
      lastCallSize(tx, thread.id, epoch.id),
    ]);
    const known = { described: model.contextWindow, limit: agent.contextWindow, model: agent.model };
    const fitted = fitRequest({
      ...{ agent, epoch, messages, measured, calls },
      window: windowOf({ ...known, learned: thread.learned }),
      statedWindow: windowOf({ ...known, learned: null }),
      mustFit: input.mustFit,
    });
    if (fitted.kind !== 'fits') return { kind: fitted.kind };
    const stepId = stepIdOf(input);
    const { refinement, streamTokens = false } = found.options;
    const maxOutput = agent.modelSettings.maxOutputTokens;
    const bounded =
      refinement === undefined
        ? undefined
        : await reserveTokens(tx, {
            refinementId: refinement,
            stepId,
            attempt: (earlier?.attempt ?? 0) + 1,
            promptTokens: fitted.tokens,
            maxOutput,
          });
    if (bounded?.kind === 'exhausted') return { kind: 'over_budget' };
    const opening = {
      stepId,
      index: input.index,
      thread,
      turnId: input.turnId,
      model: agent.model,
    };
    const [step] = await Promise.all([
      openStep(tx, opening),
      sayOpened(tx, fence, { input, earlier, streamTokens }),
    ]);
    return { kind: 'ready', agent, step, epoch, fitted: limited(fitted, bounded), calls, streamTokens };
  });
}

/** The request with an answer no longer than was reserved for it. */
function limited(
  fitted: FittedRequest,
  grant: Extract<BudgetGrant, { kind: 'granted' }> | undefined,
): FittedRequest {
  if (grant === undefined) return fitted;
  const { request } = fitted;
  const settings = { ...request.settings, maxOutputTokens: grant.maxOutput };
  return { ...fitted, request: { ...request, settings } };
}

/** Locks the thread, holds the fence, and reads what the step needs, in one go. Throws Turn.Fenced. */
async function findAll(tx: Tx, fence: Fence, input: StepInput) {
  const [thread, options, earlier, agent, steers, memory, calls] = await Promise.all([
    lockThread(tx, input.threadId),
    holdFence(tx, fence),
    getStep(tx, stepIdOf(input)),
    loadLoopAgent(tx, input),
    waitingSteers(tx, input.threadId),
    findMemory(tx, input),
    input.reason === null ? [] : turnCalls(tx, input.turnId, input.index),
  ]);
  if (thread === undefined || agent === undefined) throw fenced();
  if (options === undefined) return foundClosed(tx, fence, input);
  return { kind: 'open' as const, thread, options, earlier, agent, steers, memory, calls };
}

/** What became of a turn that runs no more, where it was this execution's to the end. Throws Turn.Fenced. */
async function foundClosed(tx: Tx, fence: Fence, { threadId }: StepInput) {
  const [stopReason, more] = await Promise.all([closedAs(tx, fence), hasWaiting(tx, threadId)]);
  if (stopReason === undefined) throw fenced();
  return { kind: 'closed' as const, stopReason, more };
}

async function tellWhy(tx: Tx, thread: Thread, agent: LoopAgent, input: StepInput): Promise<Thread> {
  const { reason, index, turnId } = input;
  // A native loop reads its tools' results and goes on: only what it did wrong needs words.
  if (reason === null || (loopStyle(agent.agentType) === 'native' && reason.kind === 'tool_called'))
    return thread;
  return appendToTranscript(tx, thread, [
    messageOf(input, derivedId('message', turnId, index, 'heartbeat'), {
      kind: 'heartbeat',
      reason: heartbeatText(reason),
    }),
  ]);
}

async function sayOpened(
  tx: Tx,
  fence: Fence,
  { input, earlier, streamTokens }: { input: StepInput; earlier: Step | undefined; streamTokens: boolean },
): Promise<void> {
  const { turnId, index } = input;
  const stepId = stepIdOf({ turnId, index });
  if (earlier === undefined) {
    await appendEvents(tx, fence, [{ kind: 'step_started', stepId, step: index }]);
    return;
  }
  if (!streamTokens) return;
  const { attempt } = earlier;
  const messageId = answerId(turnId, index, attempt);
  await appendEvents(tx, fence, [{ kind: 'attempt_abandoned', stepId, attempt, messageId }]);
}
