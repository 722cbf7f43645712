import { z } from 'zod';
import { managerTypes } from '../../core/groups/groups.js';
import { requireAgent } from '../../schema/agents/agents.js';
import {
  countGroups,
  createGroup,
  deleteGroup,
  listGroups,
  requireGroup,
  updateGroup,
} from '../../schema/groups/groups.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { given } from '../http/given.js';
import { RequestRefusedError } from '../http/problems.js';
import { pageFields, queryBoolean, toPage } from '../http/fields-wire.js';
import {
  createGroupBody,
  fromManager,
  fromNewManager,
  keptGroupFields,
  toWireGroup,
  updateGroupBody,
  wireGroup,
} from './groups-wire.js';
import { idOf } from '../http/ids-wire.js';
import { agentParams } from '../agents/agents-routes.js';
import { describeRoute } from '../http/documentation-routes.js';

/** The path parameter of everything that belongs to one group. */
export const groupParams = z.object({ group_id: idOf('group') });

const listQuery = z.object({
  ...pageFields(idOf('group'), 50),
  manager_type: z.enum(managerTypes).optional(),
  manager_agent_id: idOf('agent').optional(),
  project_id: z.string().optional(),
  show_hidden_groups: queryBoolean.optional(),
});

/** Groups of agents: create, list, count, retrieve, change, delete. */
export function groupRoutes(app: App, context: RouteContext): void {
  collectionRoutes(app, context);
  itemRoutes(app, context);
}

function collectionRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/groups',
    {
      schema: {
        ...describeRoute('groups.create', 'Create a group of agents'),
        body: createGroupBody,
        response: { 200: wireGroup },
      },
    },
    async ({ body }) => {
      const manager = body.manager_config ?? { manager_type: 'round_robin' };
      const group = await createGroup(db, {
        managerType: manager.manager_type,
        managerAgentId: manager.manager_agent_id,
        agentIds: body.agent_ids,
        description: body.description,
        managerConfig: fromNewManager(manager),
        sharedBlockIds: body.shared_block_ids ?? [],
        extras: keptGroupFields(body),
      });
      return toWireGroup(group);
    },
  );
  app.get(
    '/v1/groups',
    {
      schema: {
        ...describeRoute('groups.list', 'List groups, oldest first'),
        querystring: listQuery,
        response: { 200: z.array(wireGroup) },
      },
    },
    async ({ query }) => {
      const filter = {
        managerTypes: query.manager_type === undefined ? undefined : [query.manager_type],
        managerAgentIds: query.manager_agent_id === undefined ? undefined : [query.manager_agent_id],
      };
      return (await listGroups(db, filter, toPage(query, 'asc'))).map(toWireGroup);
    },
  );
  app.get(
    '/v1/groups/count',
    { schema: { ...describeRoute('groups.count', 'Count groups'), response: { 200: z.number() } } },
    () => countGroups(db),
  );
}

function itemRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/groups/:group_id',
    {
      schema: {
        ...describeRoute('groups.retrieve', 'Retrieve a group'),
        params: groupParams,
        response: { 200: wireGroup },
      },
    },
    async ({ params }) => toWireGroup(await requireGroup(db, params.group_id)),
  );
  app.patch(
    '/v1/groups/:group_id',
    {
      schema: {
        ...describeRoute(
          'groups.modify',
          'Change a group, such as how often its sleep-time partner is woken',
        ),
        params: groupParams,
        body: updateGroupBody,
        response: { 200: wireGroup },
      },
    },
    async ({ params, body }) => {
      const manager = body.manager_config ?? {};
      const { managerType } = await requireGroup(db, params.group_id);
      if (manager.manager_type != null && manager.manager_type !== managerType) {
        throw new RequestRefusedError(
          422,
          `body.manager_config.manager_type: is ${managerType} for this group and can't be changed. Make a new group.`,
        );
      }
      const extras = keptGroupFields(body);
      const patch = given({
        managerAgentId: manager.manager_agent_id ?? undefined,
        agentIds: body.agent_ids ?? undefined,
        description: body.description ?? undefined,
        managerConfig: body.manager_config == null ? undefined : fromManager(manager),
        sharedBlockIds: body.shared_block_ids ?? undefined,
        extras: Object.keys(extras).length === 0 ? undefined : extras,
      });
      return toWireGroup(await updateGroup(db, params.group_id, patch));
    },
  );
  app.delete(
    '/v1/groups/:group_id',
    {
      schema: {
        ...describeRoute('groups.delete', 'Delete a group; its agents live on'),
        params: groupParams,
      },
    },
    async ({ params }) => {
      await deleteGroup(db, params.group_id);
      return null;
    },
  );
  app.get(
    '/v1/agents/:agent_id/groups',
    {
      schema: {
        ...describeRoute('agents.groups.list', 'List the groups that an agent manages or is in'),
        params: agentParams,
        querystring: listQuery,
        response: { 200: z.array(wireGroup) },
      },
    },
    async ({ params, query }) => {
      const { id } = await requireAgent(db, params.agent_id);
      const managerTypes = query.manager_type === undefined ? undefined : [query.manager_type];
      return (await listGroups(db, { agentId: id, managerTypes }, toPage(query, 'asc'))).map(toWireGroup);
    },
  );
}
