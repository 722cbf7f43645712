import { z } from 'zod';
import { forkAgent } from '../../schema/past/forks.js';
import type { MomentName } from '../../schema/past/moments.js';
import { viewAgent } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { wireAgent } from '../agents/agents-wire.js';
import { idOf } from '../http/ids-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const forkBody = z
  .strictObject({
    name: z.string().optional().describe('Name of the copy; default: that of the original'),
    message_id: idOf('message').optional().describe('As of this message of the agent’s transcript'),
    step_id: idOf('step').optional().describe('As of the end of this step'),
    at: z.iso.datetime({ offset: true }).optional().describe('As of this time'),
  })
  .refine(
    ({ message_id, step_id, at }) => [message_id, step_id, at].filter((one) => one !== undefined).length < 2,
    {
      error: 'give at most one of message_id, step_id and at; none means now',
    },
  );

type ForkBody = z.infer<typeof forkBody>;

/** Copies of agents as they were. Not part of Letta's API. */
export function agentForkRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/agents/:agent_id/fork',
    {
      schema: {
        ...describeRoute('agents.fork', 'Copy an agent with its memory, as of a past message, step or time'),
        params: agentParams,
        body: forkBody.nullish(),
        response: { 200: wireAgent },
      },
    },
    async ({ params, body, toolCaller }) => {
      const fork = {
        ...{ agentId: params.agent_id, name: body?.name, moment: toMoment(body ?? {}) },
        madeBy: toolCaller?.agentId,
      };
      return viewAgent(context, await forkAgent(context.db, context.vault, fork));
    },
  );
}

function toMoment({ message_id: messageId, step_id: stepId, at }: ForkBody): MomentName {
  if (messageId !== undefined) return { kind: 'message', messageId };
  if (stepId !== undefined) return { kind: 'step', stepId };
  return at === undefined ? { kind: 'now' } : { kind: 'time', at };
}
