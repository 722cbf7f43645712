import { loopStyle } from '../core/agents.js';
import { derivedId } from '../core/ids.js';
import { heartbeatText } from '../core/prompts.js';
import { inTransaction, type Tx } from '../schema/database.js';
import type { Epoch } from '../schema/epochs.js';
import type { LoopAgent } from '../schema/loop-agent.js';
import { loadQueue } from '../schema/messages.js';
import type { Effect, Step } from '../schema/records.js';
import { absorbSteers } from '../schema/steering.js';
import { type Fence, openStep } from '../schema/step-writes.js';
import { findStep, lastCallSize, stepEffects, turnCalls } from '../schema/steps.js';
import { lockThread, type Thread } from '../schema/threads.js';
import { appendToTranscript } from '../schema/transcript.js';
import { appendEvents } from '../schema/turn-events.js';
import { ensureEpoch } from './context-epoch.js';
import type { ActivityDeps } from './deps.js';
import { fenced } from './failures.js';
import { answerId, messageOf, type StepInput, stepIdOf } from './step-input.js';
import { type FittedRequest, fitRequest } from './fit-request.js';

/** What a step finds when it begins. */
export type PreparedStep =
  /** An earlier attempt stored an answer: it is not paid for again. */
  | { readonly kind: 'answered'; readonly step: Step; readonly effects: readonly Effect[] }
  | { readonly kind: 'pressure' }
  | { readonly kind: 'prefix_too_large' }
  | {
      readonly kind: 'ready';
      readonly step: Step;
      readonly epoch: Epoch;
      readonly fitted: FittedRequest;
      readonly streamTokens: boolean;
    };

/**
 * Everything before the model call, in one transaction with the thread locked: the fence, messages that steer the
 * turn, the heartbeat that says why there is this step, notices of memory that others changed, the context.
 * Only what is about to be sent to the model opens an attempt of the step. Throws Turn.Fenced.
 */
export async function prepareStep(
  { db, models }: Pick<ActivityDeps, 'db' | 'models'>,
  agent: LoopAgent,
  fence: Fence,
  input: StepInput,
): Promise<PreparedStep> {
  const stepId = stepIdOf(input);
  const model = models.resolve(agent.model).description;
  return inTransaction(db, async (tx): Promise<PreparedStep> => {
    const locked = await lockThread(tx, input.threadId);
    if (locked === undefined || !(await appendEvents(tx, fence, []))) throw fenced();
    const { step: earlier, streamTokens } = await findStep(tx, input.turnId, stepId);
    if (earlier?.state === 'answered') {
      return { kind: 'answered', step: earlier, effects: await stepEffects(tx, stepId) };
    }
    const told = await tellWhy(tx, locked, agent, input);
    const absorbed = await absorbSteers(tx, told, input.turnId);
    const { thread, epoch } = await ensureEpoch(tx, absorbed, agent, input);
    const fitted = fitRequest({
      agent,
      epoch,
      messages: await loadQueue(tx, thread.id),
      window: Math.min(agent.contextWindow ?? model.contextWindow, thread.learnedWindow ?? Infinity),
      measured: await lastCallSize(tx, thread.id, epoch.id),
      mustFit: input.mustFit,
      calls: await turnCalls(tx, input.turnId, input.index),
    });
    if (fitted.kind !== 'fits') return { kind: fitted.kind };
    const step = await openStep(tx, {
      stepId,
      index: input.index,
      thread,
      turnId: input.turnId,
      model: agent.model,
    });
    await sayOpened(tx, fence, step, streamTokens);
    return { kind: 'ready', step, epoch, fitted, streamTokens };
  });
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

async function sayOpened(tx: Tx, fence: Fence, step: Step, streamTokens: boolean): Promise<void> {
  if (step.attempt === 1) {
    await appendEvents(tx, fence, [{ kind: 'step_started', stepId: step.id, step: step.index }]);
    return;
  }
  if (!streamTokens) return;
  const attempt = step.attempt - 1;
  await appendEvents(tx, fence, [
    {
      kind: 'attempt_abandoned',
      stepId: step.id,
      attempt,
      messageId: answerId(step.turnId, step.index, attempt),
    },
  ]);
}
