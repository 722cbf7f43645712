import type { Tx } from '../schema/database.js';
import { hasWaiting } from '../schema/deliveries.js';
import { closedAs, type Fence, holdFence } from '../schema/fences.js';
import { loadLoopAgent } from '../schema/loop-agent.js';
import { loadQueue } from '../schema/messages.js';
import { waitingSteers } from '../schema/steering.js';
import { findAttempt, lastCallSize, turnCalls } from '../schema/steps.js';
import { lockThread } from '../schema/threads.js';
import { findMemory } from './context-epoch.js';
import { fenced } from './failures.js';
import { type StepInput, stepIdOf } from './step-input.js';

/** What a step of a turn that runs finds, with its thread locked and its fence held. */
export type FoundStep = Extract<Awaited<ReturnType<typeof findStep>>, { kind: 'open' }>;

/** Locks the thread, holds the fence, and reads what the step needs, in one go. Throws Turn.Fenced. */
export async function findStep(tx: Tx, fence: Fence, input: StepInput) {
  const [thread, options, attempt, agent, steers, memory, calls, messages, measured] = await Promise.all([
    lockThread(tx, input.threadId),
    holdFence(tx, fence),
    findAttempt(tx, stepIdOf(input)),
    loadLoopAgent(tx, input),
    waitingSteers(tx, input.threadId),
    findMemory(tx, input),
    input.reason === null ? [] : turnCalls(tx, input.turnId, input.index),
    loadQueue(tx, input.threadId),
    lastCallSize(tx, input.threadId),
  ]);
  if (thread === undefined || agent === undefined) throw fenced();
  if (options === undefined) return foundClosed(tx, fence, input);
  const read = { thread, options, agent, steers, memory, calls, messages, measured };
  return { kind: 'open' as const, ...read, earlier: attempt?.step, worker: attempt?.worker ?? null };
}

/** What became of a turn that runs no more, where it was this execution's to the end. Throws Turn.Fenced. */
async function foundClosed(tx: Tx, fence: Fence, { threadId }: StepInput) {
  const [stopReason, more] = await Promise.all([closedAs(tx, fence), hasWaiting(tx, threadId)]);
  if (stopReason === undefined) throw fenced();
  return { kind: 'closed' as const, stopReason, more };
}
