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
 * The floor: what Temporal alone costs for a turn of the same shape. Its activities do nothing: a local one for the claim,
 * an ordinary one (the model call) and a local one (its tool) for each step, and a local one for the settlement.
 */
export async function bareTurn(steps: number): Promise<void> {
  await local.nothing(0);
  for (let index = 0; index < steps; index += 1) {
    await nothing(index);
    await local.nothing(index);
  }
  await local.nothing(0);
}

/** The floor with work: each activity is a transaction, and a model call is one between two transactions. */
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

/** How agents on Temporal are also written: one workflow per agent, which stays open and waits for messages. */
export async function openAgent(): Promise<void> {
  setHandler(defineUpdate('say'), async () => {
    await nothing(0);
  });
  await condition(() => false);
}
