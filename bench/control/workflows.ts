import { condition, defineUpdate, proxyActivities, setHandler } from '@temporalio/workflow';
import type { ControlActivities } from './activities.js';

const { nothing, readPrompt } = proxyActivities<ControlActivities>({ startToCloseTimeout: '30s' });

/** The floor: what Temporal itself costs, with one activity a step that does nothing. */
export async function bareTurn(steps: number): Promise<void> {
  for (let index = 0; index < steps; index += 1) await nothing(index);
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
