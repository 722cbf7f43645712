import { z } from 'zod';
import { stopReasons } from '../../core/turns/stop-reasons.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { listMessages } from '../../schema/threads/messages.js';
import { listSteps } from '../../schema/turns/steps.js';
import { deleteTurn } from '../../schema/turns/deleting.js';
import {
  listTurns,
  requireExecution,
  requireTurn,
  type TurnFilter,
  turnUsage,
} from '../../schema/turns/turns.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { definedFields } from '../http/defined-fields.js';
import { readShown } from '../threads/message-pages.js';
import { checkResumable } from '../streams/turn-stream.js';
import { pageFields, queryBoolean, queryList, toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { wireMessage } from '../threads/message-shapes-wire.js';
import { toReplyMessages } from '../threads/messages-wire.js';
import { toRendering } from '../threads/rendering-wire.js';
import { viewRun, viewRuns } from './run-views.js';
import { toWireExecution, wireExecution } from './execution-wire.js';
import { runStatus, wireRun } from './runs-wire.js';
import { wireStep } from './steps-wire.js';
import { viewSteps } from './steps-routes.js';
import { toWireUsage, wireUsage } from '../models/usage-wire.js';
import { createResource, listRoute } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { replyStream, toTurnStream } from './replies.js';

const runParams = z.object({ run_id: idOf('run') });

const listQuery = z.object({
  ...pageFields(idOf('run'), 100),
  agent_id: idOf('agent').optional(),
  agent_ids: queryList.optional(),
  statuses: z.union([runStatus.transform((one) => [one]), z.array(runStatus)]).optional(),
  active: queryBoolean.optional(),
  background: queryBoolean.optional(),
  stop_reason: z.enum(stopReasons).optional(),
  conversation_id: z.string().optional(),
});

const streamBody = z
  .object({
    starting_after: z.int().min(0).nullish(),
    include_pings: z.boolean().nullish(),
    poll_interval: z.number().nullish(),
    batch_size: z.int().nullish(),
  })
  .nullish();

/** Runs: the API's name for turns. */
export function runRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const runs = createResource(app, {
    ...{ path: '/v1/runs', operations: 'runs' },
    ...{ params: runParams, item: wireRun },
  });
  runs.list('List runs, newest first', { query: listQuery, order: 'desc' }, async ({ query }, page) =>
    viewRuns(context, await listTurns(db, toFilter(query, query.active === true), page)),
  );
  listRoute(
    app,
    {
      ...{ path: '/v1/runs/active', operation: 'runs.active' },
      summary: 'List the active runs',
      ...{ query: listQuery, order: 'desc', item: wireRun },
    },
    async ({ query }, page) => viewRuns(context, await listTurns(db, toFilter(query, true), page)),
  );
  runs.retrieve('Retrieve a run', async ({ params }) =>
    viewRun(context, await requireTurn(db, params.run_id)),
  );
  runs.deleteAndShow('Delete an ended run with its steps; its messages stay', async ({ params }) => {
    const shown = await viewRun(context, await requireTurn(db, params.run_id));
    await deleteTurn(db, params.run_id);
    return shown;
  });
  app.get(
    '/v1/runs/:run_id/usage',
    {
      schema: {
        ...describeRoute('runs.usage.retrieve', 'Retrieve what a run cost'),
        params: runParams,
        response: { 200: wireUsage },
      },
    },
    async ({ params }) => {
      const turn = await requireTurn(db, params.run_id);
      return toWireUsage(await turnUsage(db, turn.id), turn.steps, turn.id);
    },
  );
  executionRoute(app, context);
  runContentRoutes(app, context);
  streamRoute(app, context);
}

function executionRoute(app: App, { db, settings }: RouteContext): void {
  app.get(
    '/v1/runs/:run_id/execution',
    {
      schema: {
        ...describeRoute(
          'runs.execution.retrieve',
          'Retrieve a run’s execution in Temporal, with a link to it',
        ),
        params: runParams,
        response: { 200: wireExecution },
      },
    },
    async ({ params }) => toWireExecution(await requireExecution(db, params.run_id), settings.temporal ?? {}),
  );
}

function runContentRoutes(app: App, context: RouteContext): void {
  const { db, extensions } = context;
  app.get(
    '/v1/runs/:run_id/messages',
    {
      schema: {
        ...describeRoute('runs.messages.list', 'List the messages that a run produced, oldest first'),
        params: runParams,
        querystring: z.object({
          ...pageFields(idOf('message'), 100),
          role: z.enum(['user', 'system', 'assistant', 'tool']).optional(),
        }),
        response: { 200: z.array(wireMessage) },
      },
    },
    async ({ params, query }) => {
      const turn = await requireTurn(db, params.run_id);
      const agent = await requireAgent(db, turn.agentId);
      const rendering = toRendering(agent, turn.options.wire, extensions);
      const kinds = query.role === undefined ? undefined : [query.role];
      return readShown(db, toPage(query, 'asc'), {
        read: (page) => listMessages(db, { turnId: turn.id, kinds }, page),
        show: (message, siblings) => toReplyMessages([message], rendering, siblings),
      });
    },
  );
  listRoute(
    app,
    {
      ...{ path: '/v1/runs/:run_id/steps', operation: 'runs.steps.list' },
      summary: 'List a run’s steps, oldest first',
      params: runParams,
      ...{ query: z.object(pageFields(idOf('step'), 100)), order: 'asc', item: wireStep },
    },
    async ({ params }, page) => {
      const turn = await requireTurn(db, params.run_id);
      return viewSteps(context, await listSteps(db, { turnId: turn.id }, page));
    },
  );
}

function streamRoute(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/runs/:run_id/stream',
    {
      schema: {
        ...describeRoute(
          'runs.messages.stream',
          'Stream a run from its beginning, or after the `seq_id` given as `starting_after`',
        ),
        params: runParams,
        body: streamBody,
      },
    },
    async (request, reply) => {
      const turn = await requireTurn(db, request.params.run_id);
      const agent = await requireAgent(db, turn.agentId);
      const wish = {
        pings: request.body?.include_pings,
        startingAfter: request.body?.starting_after ?? 0,
      };
      const stream = toTurnStream(context, request, { agent, turn, ...wish });
      await checkResumable(db, stream);
      return replyStream(context, reply, stream);
    },
  );
}

function toFilter(query: z.infer<typeof listQuery>, onlyActive: boolean): TurnFilter {
  const agentIds = query.agent_id === undefined ? query.agent_ids : [query.agent_id];
  return definedFields({
    agentIds,
    threadId: query.conversation_id,
    states: onlyActive ? (['created', 'running'] as const) : query.statuses,
    stopReason: query.stop_reason,
    background: query.background,
  });
}
