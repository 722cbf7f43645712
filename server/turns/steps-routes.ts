import { z } from 'zod';
import { costOf } from '../../core/models/prices.js';
import { requireAgent } from '../../schema/agents/agents.js';
import type { Db } from '../../schema/db/database.js';
import { StepNotFoundError } from '../../schema/turns/errors.js';
import { listMessages } from '../../schema/threads/messages.js';
import type { Step } from '../../schema/turns/records.js';
import { feedbackOfSteps, saveStepFeedback, stepTimes } from '../../schema/turns/step-feedback.js';
import { getStep, listSteps } from '../../schema/turns/steps.js';
import { turnEnds } from '../../schema/turns/turns.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { definedFields } from '../http/defined-fields.js';
import { readShown } from '../threads/message-pages.js';
import { pageFields, queryBoolean, queryList, refusedQuery, toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { wireMessage } from '../threads/message-shapes-wire.js';
import { toReplyMessages } from '../threads/messages-wire.js';
import { toRendering } from '../threads/rendering-wire.js';
import { compileStepRequest } from './step-request.js';
import { toWireStepRequest, wireStepRequest } from './step-request-wire.js';
import { toWireStep, toWireStepMetrics, type WireStep, wireStep, wireStepMetrics } from './steps-wire.js';
import { createResource } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';

const stepParams = z.object({ step_id: idOf('step') });

const listQuery = z.object({
  ...pageFields(idOf('step'), 50),
  agent_id: idOf('agent').optional(),
  model: z.string().optional(),
  start_date: z.coerce.date().optional(),
  end_date: z.coerce.date().optional(),
  feedback: z.enum(['positive', 'negative']).optional(),
  has_feedback: queryBoolean.optional(),
  tags: queryList.optional(),
  // If these were ignored, the list would hold steps that were not asked for.
  trace_ids: refusedQuery('is not supported: steps have no traces. Leave it out'),
  project_id: refusedQuery('is not supported: steps belong to agents. Use agent_id'),
});

const feedbackBody = z
  .object({
    feedback: z.enum(['positive', 'negative']).nullish(),
    tags: z.array(z.string()).nullish(),
  })
  .meta({ id: 'ModifyFeedbackRequest' });

/** Steps: one model call each. */
export function stepRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const steps = createResource(app, {
    ...{ path: '/v1/steps', operations: 'steps' },
    ...{ params: stepParams, item: wireStep },
  });
  steps.list('List steps, newest first', { query: listQuery, order: 'desc' }, async ({ query }, page) => {
    const filter = definedFields({
      agentId: query.agent_id,
      model: query.model,
      from: query.start_date,
      to: query.end_date,
      feedback: query.feedback,
      hasFeedback: query.has_feedback,
      tags: query.tags,
    });
    return viewSteps(context, await listSteps(db, filter, page));
  });
  steps.retrieve('Retrieve a step', async ({ params }) =>
    viewStep(context, await requireStep(db, params.step_id)),
  );
  app.get(
    '/v1/steps/:step_id/messages',
    {
      schema: {
        ...describeRoute('steps.messages.list', 'List the messages of a step'),
        params: stepParams,
        querystring: z.object(pageFields(idOf('message'), 100)),
        response: { 200: z.array(wireMessage) },
      },
    },
    async ({ params, query }) => {
      const step = await requireStep(db, params.step_id);
      const agent = await requireAgent(db, step.agentId);
      const rendering = toRendering(agent, {}, context.extensions);
      return readShown(db, toPage(query, 'asc'), {
        read: (page) => listMessages(db, { stepId: step.id }, page),
        show: (message, siblings) => toReplyMessages([message], rendering, siblings),
      });
    },
  );
  requestRoute(app, context);
  judgementRoutes(app, context);
}

function requestRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/steps/:step_id/request',
    {
      schema: {
        ...describeRoute('steps.request.retrieve', 'Show the request that a step’s model was sent'),
        params: stepParams,
        response: { 200: wireStepRequest },
      },
    },
    async ({ params }) => {
      const step = await requireStep(context.db, params.step_id);
      await requireAgent(context.db, step.agentId);
      return toWireStepRequest(step, await compileStepRequest(context, step));
    },
  );
}

function judgementRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/steps/:step_id/metrics',
    {
      schema: {
        ...describeRoute('steps.metrics.retrieve', 'Retrieve how long a step and its parts took'),
        params: stepParams,
        response: { 200: wireStepMetrics },
      },
    },
    async ({ params }) => {
      const step = await requireStep(db, params.step_id);
      return toWireStepMetrics(step, await stepTimes(db, step.id));
    },
  );
  app.patch(
    '/v1/steps/:step_id/feedback',
    {
      schema: {
        ...describeRoute('steps.feedback.create', 'Rate a step'),
        params: stepParams,
        body: feedbackBody,
        response: { 200: wireStep },
      },
    },
    async ({ params, body }) => {
      const step = await requireStep(db, params.step_id);
      await saveStepFeedback(db, step.id, { feedback: body.feedback ?? null, tags: body.tags ?? [] });
      return viewStep(context, step);
    },
  );
}

type Viewed = Pick<RouteContext, 'db' | 'settings'>;

/** Throws StepNotFoundError. */
async function requireStep(db: Db, stepId: string): Promise<Step> {
  const step = await getStep(db, stepId);
  if (step === undefined) throw new StepNotFoundError(stepId);
  return step;
}

async function viewStep(context: Viewed, step: Step): Promise<WireStep> {
  const [shown] = await viewSteps(context, [step]);
  return shown ?? toWireStep(step);
}

/** Steps as the API shows them, with their ratings, their cost and, for the last step of a run, its stop reason. */
export async function viewSteps(
  { db, settings: { prices = {} } }: Viewed,
  steps: readonly Step[],
): Promise<WireStep[]> {
  const [said, ends] = await Promise.all([
    feedbackOfSteps(
      db,
      steps.map(({ id }) => id),
    ),
    turnEnds(
      db,
      steps.map(({ turnId }) => turnId),
    ),
  ]);
  return steps.map((step) => {
    const end = ends.get(step.turnId);
    const isLast = end !== undefined && step.index === end.steps - 1;
    const cost = step.state === 'answered' ? costOf(prices, step.model, step.usage) : undefined;
    return toWireStep(step, { said: said.get(step.id), stopReason: isLast ? end.stopReason : null, cost });
  });
}
