import { z } from 'zod';
import type { Step } from '../../schema/turns/records.js';
import { freeObject } from '../http/fields-wire.js';
import type { StepRequest } from './step-request.js';

/** What a step's model was sent. Not part of Letta's API. */
export const wireStepRequest = z
  .object({
    step_id: z.string(),
    run_id: z.string(),
    agent_id: z.string(),
    epoch_id: z.string().nullable().describe('The stretch of steps with the same prompt'),
    prompt: z
      .enum(['stored', 'compiled_again'])
      .describe(
        'compiled_again: the prompt is no longer stored; its blocks and summary are those of its time',
      ),
    shortened: z.boolean().describe('True: long messages were shortened to fit, which is not shown here'),
    agent_changed: z
      .boolean()
      .describe('True: the agent was changed since; model settings and tool rules are the present ones'),
    request: freeObject.describe('The body of the request, in the form of OpenAI’s chat completions'),
  })
  .meta({ id: 'StepRequest' });

export function toWireStepRequest(
  step: Step,
  { sources, request }: StepRequest,
): z.infer<typeof wireStepRequest> {
  return {
    step_id: step.id,
    run_id: step.turnId,
    agent_id: step.agentId,
    epoch_id: sources.epochId,
    prompt: sources.prompt === undefined ? 'compiled_again' : 'stored',
    shortened: sources.isShortened,
    agent_changed: sources.agentHasChanged,
    request: { ...request },
  };
}
