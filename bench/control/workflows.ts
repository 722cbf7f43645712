import {
  condition,
  defineUpdate,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type { ControlActivities } from './activities.js';
import type { WorkingActivities } from './working-activities.js';

const { nothing, readPrompt } = proxyActivities<ControlActivities>({ startToCloseTimeout: '30s' });
const local = proxyLocalActivities<ControlActivities>({ startToCloseTimeout: '30s' });
const work = proxyActivities<WorkingActivities>({ startToCloseTimeout: '30s' });
const quickWork = proxyLocalActivities<WorkingActivities>({ startToCloseTimeout: '30s' });

/**
 * The floor: what Temporal itself costs a turn of the same shape, with activities that do nothing. A local one to claim
 * it, an ordinary one and a local one for each step (the model call, its tool), a local one to settle it.
 */
export async function bareTurn(steps: number): Promise<void> {
  await local.nothing(0);
  for (let index = 0; index < steps; index += 1) {
    await nothing(index);
    await local.nothing(index);
  }
  await local.nothing(0);
}

/** The floor, with work: each activity is a transaction, and the model call is one between two of them. */
export async function workingTurn(steps: number, turn: string): Promise<void> {
  await quickWork.transact(turn);
  for (let index = 0; index < steps; index += 1) {
    await work.step(turn);
    await quickWork.transact(turn);
  }
  await quickWork.transact(turn);
}

/** How agents on Temporal are commonly written: the conversation is the workflow's state and each call's input. */
export async function promptAsInput(input: {
  readonly steps: number;
  readonly conversation: readonly string[];
}): Promise<void> {
  const conversation = [...input.conversation];
  for (let index = 0; index < input.steps; index += 1) conversation.push(await readPrompt(conversation));
}

/** How agents on Temporal are also written: a workflow an agent, which stays open and waits to be spoken to. */
export async function openAgent(): Promise<void> {
  setHandler(defineUpdate('say'), async () => {
    await nothing(0);
  });
  await condition(() => false);
}
