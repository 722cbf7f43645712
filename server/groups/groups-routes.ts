import { z } from 'zod';
import { type Group, managerTypes } from '../../core/groups/groups.js';
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
import { definedFields } from '../http/defined-fields.js';
import { RequestRefusedError } from '../http/problems.js';
import { pageFields, queryBoolean } from '../http/fields-wire.js';
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
import { createResource, listRoute } from '../http/resource.js';
import { agentParams, groupParams } from '../http/params-wire.js';

const listQuery = z.object({
  ...pageFields(idOf('group'), 50),
  manager_type: z.enum(managerTypes).optional(),
  manager_agent_id: idOf('agent').optional(),
  project_id: z.string().optional(),
  show_hidden_groups: queryBoolean.optional(),
});

/** Groups of agents: create, list, count, retrieve, change, delete. */
export function groupRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const groups = createResource(app, {
    ...{ path: '/v1/groups', operations: 'groups' },
    ...{ params: groupParams, item: wireGroup },
  });
  groups.create('Create a group of agents', createGroupBody, async ({ body }) => {
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
  });
  groups.list('List groups, oldest first', { query: listQuery, order: 'asc' }, async ({ query }, page) => {
    const { manager_type: type, manager_agent_id: managerId } = query;
    const filter = {
      managerTypes: type === undefined ? undefined : [type],
      managerAgentIds: managerId === undefined ? undefined : [managerId],
    };
    return (await listGroups(db, filter, page)).map(toWireGroup);
  });
  groups.count('Count groups', () => countGroups(db));
  groups.retrieve('Retrieve a group', async ({ params }) =>
    toWireGroup(await requireGroup(db, params.group_id)),
  );
  groups.change(
    'modify',
    'Change a group, such as how often its sleep-time partner is woken',
    updateGroupBody,
    async ({ params, body }) => {
      const group = await requireGroup(db, params.group_id);
      return toWireGroup(await updateGroup(db, group.id, toPatch(group, body)));
    },
  );
  groups.delete('Delete a group; its agents stay', ({ params }) => deleteGroup(db, params.group_id));
  listRoute(
    app,
    {
      ...{ path: '/v1/agents/:agent_id/groups', operation: 'agents.groups.list' },
      summary: 'List the groups that an agent manages or is in',
      params: agentParams,
      ...{ query: listQuery, order: 'asc', item: wireGroup },
    },
    async ({ params, query }, page) => {
      const { id } = await requireAgent(db, params.agent_id);
      const managerTypes = query.manager_type === undefined ? undefined : [query.manager_type];
      return (await listGroups(db, { agentId: id, managerTypes }, page)).map(toWireGroup);
    },
  );
}

/** The change that a request asks for. Throws RequestRefusedError where it is to be a group of another type. */
function toPatch({ managerType }: Group, body: z.infer<typeof updateGroupBody>) {
  const manager = body.manager_config ?? {};
  if (manager.manager_type != null && manager.manager_type !== managerType) {
    throw new RequestRefusedError(
      422,
      `body.manager_config.manager_type: is ${managerType} for this group and can't be changed. Make a new group.`,
    );
  }
  const extras = keptGroupFields(body);
  return definedFields({
    managerAgentId: manager.manager_agent_id ?? undefined,
    agentIds: body.agent_ids ?? undefined,
    description: body.description ?? undefined,
    managerConfig: body.manager_config == null ? undefined : fromManager(manager),
    sharedBlockIds: body.shared_block_ids ?? undefined,
    extras: Object.keys(extras).length === 0 ? undefined : extras,
  });
}
