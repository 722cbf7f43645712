import type { Tx } from '../../schema/db/database.js';
import { type Fence, holdFence } from '../../schema/turns/fences.js';
import { loadLoopAgent } from '../../schema/threads/loop-agent.js';
import { loadQueue } from '../../schema/threads/messages.js';
import { waitingSteers } from '../../schema/turns/steering.js';
import { getStep, lastMeasured, turnCalls } from '../../schema/turns/steps.js';
import { lockThread } from '../../schema/threads/threads.js';
import { findMemory } from './context-epoch.js';
import { fenced } from '../failures.js';
import { type StepInput, stepIdOf } from './step-input.js';

/** What a step reads at its beginning, with its thread locked and its fence held. */
export type FoundStep = Awaited<ReturnType<typeof findStep>>;

/** Locks the thread, holds the fence, and reads what the step needs, in one go. Throws Turn.Fenced. */
export async function findStep(tx: Tx, fence: Fence, input: StepInput) {
  const isFirst = input.index === 0 && input.reason === null;
  const [thread, options, earlier, agent, steers, memory, calls, messages, measured] = await Promise.all([
    lockThread(tx, input.threadId),
    holdFence(tx, fence),
    getStep(tx, stepIdOf(input)),
    loadLoopAgent(tx, input),
    waitingSteers(tx, input.threadId),
    findMemory(tx, input),
    isFirst ? [] : turnCalls(tx, input.turnId, input.index),
    loadQueue(tx, input.threadId),
    lastMeasured(tx, input),
  ]);
  if (thread === undefined || options === undefined || agent === undefined) throw fenced();
  return { thread, options, agent, steers, memory, calls, messages, measured, earlier };
}
