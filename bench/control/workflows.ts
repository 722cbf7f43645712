import { proxyActivities } from '@temporalio/workflow';
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
