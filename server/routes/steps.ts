import { z } from 'zod';
import { requireAgent } from '../../schema/agents.js';
import { StepNotFoundError } from '../../schema/errors.js';
import { listMessages } from '../../schema/messages.js';
import type { Step } from '../../schema/records.js';
import { getStep, listSteps } from '../../schema/steps.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { given } from '../given.js';
import { readShown } from '../shown-pages.js';
import { pageFields, toPage } from '../wire/fields.js';
import { idOf } from '../wire/ids.js';
import { wireMessage } from '../wire/message-shapes.js';
import { toReplyMessages } from '../wire/messages.js';
import { toRendering } from '../wire/rendering.js';
import { toWireStep, wireStep } from '../wire/steps.js';
import { describeRoute } from './documentation.js';

const stepParams = z.object({ step_id: idOf('step') });

const listQuery = z.object({
  ...pageFields(idOf('step'), 50),
  agent_id: idOf('agent').optional(),
  model: z.string().optional(),
  start_date: z.coerce.date().optional(),
  end_date: z.coerce.date().optional(),
});

/** Steps: one model call each. */
export function stepRoutes(app: App, { db }: RouteContext): void {
  const requireStep = async (stepId: string): Promise<Step> => {
    const step = await getStep(db, stepId);
    if (step === undefined) throw new StepNotFoundError(stepId);
    return step;
  };
  app.get(
    '/v1/steps',
    {
      schema: {
        ...describeRoute('steps.list', 'List steps, newest first'),
        querystring: listQuery,
        response: { 200: z.array(wireStep) },
      },
    },
    async ({ query }) => {
      const filter = given({
        agentId: query.agent_id,
        model: query.model,
        from: query.start_date,
        to: query.end_date,
      });
      return (await listSteps(db, filter, toPage(query, 'desc'))).map(toWireStep);
    },
  );
  app.get(
    '/v1/steps/:step_id',
    {
      schema: {
        ...describeRoute('steps.retrieve', 'Retrieve a step'),
        params: stepParams,
        response: { 200: wireStep },
      },
    },
    async ({ params }) => toWireStep(await requireStep(params.step_id)),
  );
  app.get(
    '/v1/steps/:step_id/messages',
    {
      schema: {
        ...describeRoute('steps.messages.list', 'List the messages that a step made'),
        params: stepParams,
        querystring: z.object(pageFields(idOf('message'), 100)),
        response: { 200: z.array(wireMessage) },
      },
    },
    async ({ params, query }) => {
      const step = await requireStep(params.step_id);
      const agent = await requireAgent(db, step.agentId);
      const rendering = toRendering(agent, {});
      return readShown(toPage(query, 'asc'), {
        read: (page) => listMessages(db, { stepId: step.id }, page),
        show: (message) => toReplyMessages([message], rendering),
      });
    },
  );
}
