import { z } from 'zod';
import { RefinementNotFoundError, RefinementRequestNotFoundError } from '../../schema/refinement/errors.js';
import { requireGroup } from '../../schema/groups/groups.js';
import { listBranches } from '../../schema/blocks/branches.js';
import type { Refinement } from '../../schema/refinement/refinements.js';
import { committedTokens } from '../../schema/refinement/token-budgets.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { pageFields } from '../http/fields-wire.js';
import { isSleepTime } from '../groups/groups-wire.js';
import { idOf } from '../http/ids-wire.js';
import {
  approveBody,
  fromRefineBody,
  refineBody,
  refinementStates,
  toWireRefinement,
  toWireRequest,
  type WireRefinement,
  wireRefinement,
  wireRefinementRequest,
} from './refinements-wire.js';
import { RequestRefusedError } from '../http/problems.js';
import { createResource } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { groupParams } from '../http/params-wire.js';

const refinementParams = groupParams.extend({ refinement_id: idOf('refinement') });

const listQuery = z.object({
  ...pageFields(idOf('refinement'), 50),
  status: z.enum(refinementStates).optional(),
});

/** Refinements of memory: request one, list them with their edits, approve or reject. */
export function refinementRoutes(app: App, context: RouteContext): void {
  requestRoutes(app, context);
  readingRoutes(app, context);
  reviewRoutes(app, context);
}

function requestRoutes(app: App, context: RouteContext): void {
  const { db, sleepTime } = context;
  app.post(
    '/v1/groups/:group_id/refine',
    {
      schema: {
        ...describeRoute('groups.refine', 'Ask the sleep-time partners of a group to refine its memory now'),
        params: groupParams,
        body: refineBody,
        response: { 200: z.array(wireRefinementRequest) },
      },
    },
    async ({ params, body }) => {
      const group = await requireGroup(db, params.group_id);
      if (!isSleepTime({ manager_type: group.managerType })) {
        throw new RequestRefusedError(
          422,
          `Group ${group.id} is of type ${group.managerType}; only groups of type sleeptime refine memory.`,
        );
      }
      return (await sleepTime.refine(group.id, fromRefineBody(body))).map(toWireRequest);
    },
  );
  app.get(
    '/v1/groups/:group_id/refine/:request_id',
    {
      schema: {
        ...describeRoute('groups.refine.retrieve', 'Retrieve a request for refinement with its progress'),
        params: groupParams.extend({ request_id: idOf('request') }),
        response: { 200: wireRefinementRequest },
      },
    },
    async ({ params }) => {
      const request = await sleepTime.request(params.request_id);
      if (request.groupId !== params.group_id) throw new RefinementRequestNotFoundError(params.request_id);
      return toWireRequest(request);
    },
  );
}

function readingRoutes(app: App, context: RouteContext): void {
  const { db, sleepTime } = context;
  const refinements = createResource(app, {
    ...{ path: '/v1/groups/:group_id/refinements', operations: 'groups.refinements' },
    ...{ params: refinementParams, item: wireRefinement },
  });
  refinements.list(
    'List refinements, newest first',
    { query: listQuery, order: 'desc' },
    async ({ params, query }, page) => {
      const { id: groupId } = await requireGroup(db, params.group_id);
      const states = query.status === undefined ? undefined : [query.status];
      const found = await sleepTime.list({ groupId, states }, page);
      return Promise.all(found.map((refinement) => view(context, refinement)));
    },
  );
  refinements.retrieve('Retrieve a refinement with the edits on its branches', async ({ params }) =>
    view(context, await requireOf(context, params)),
  );
}

function reviewRoutes(app: App, context: RouteContext): void {
  const { sleepTime } = context;
  app.post(
    '/v1/groups/:group_id/refinements/:refinement_id/approve',
    {
      schema: {
        ...describeRoute(
          'groups.refinements.approve',
          'Merge the edits of a refinement that waits for approval',
        ),
        params: refinementParams,
        body: approveBody.nullish(),
        response: { 200: wireRefinement },
      },
    },
    async ({ params, body }) => {
      const { id } = await requireOf(context, params);
      return view(context, await sleepTime.approve(id, body?.values ?? {}));
    },
  );
  app.post(
    '/v1/groups/:group_id/refinements/:refinement_id/reject',
    {
      schema: {
        ...describeRoute(
          'groups.refinements.reject',
          'Drop the edits of a refinement that waits for approval',
        ),
        params: refinementParams,
        response: { 200: wireRefinement },
      },
    },
    async ({ params }) => view(context, await sleepTime.reject((await requireOf(context, params)).id)),
  );
}

/** The refinement, if it belongs to the group. Throws RefinementNotFoundError. */
async function requireOf(
  { sleepTime }: RouteContext,
  params: z.infer<typeof refinementParams>,
): Promise<Refinement> {
  const refinement = await sleepTime.retrieve(params.refinement_id);
  if (refinement.groupId !== params.group_id) throw new RefinementNotFoundError(refinement.id);
  return refinement;
}

async function view({ db }: RouteContext, refinement: Refinement): Promise<WireRefinement> {
  const [branches, tokens] = await Promise.all([
    listBranches(db, refinement.id),
    committedTokens(db, refinement.id),
  ]);
  return toWireRefinement(refinement, branches, tokens);
}
