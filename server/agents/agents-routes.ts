import { z } from 'zod';
import { stopReasons } from '../../core/turns/stop-reasons.js';
import { deleteWithPartners, purgeAgent } from '../../schema/agents/purge.js';
import { type AgentFilter, countAgents, listAgents, requireAgent } from '../../schema/agents/agents.js';
import { listTurns } from '../../schema/turns/turns.js';
import { changeRequestedAgent } from './agent-updates.js';
import { createRequestedAgent } from './agent-creation.js';
import { viewAgent, viewAgents } from './agent-views.js';
import { authorOf, callerOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { definedFields } from '../http/defined-fields.js';
import { createAgentBody, updateAgentBody } from './agent-requests-wire.js';
import { wireAgent } from './agents-wire.js';
import { defaultAgentType, generationOf } from '../http/client-generation-wire.js';
import { pageFields, queryBoolean, queryList, refusedQuery } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { createResource } from '../http/resource.js';
import { agentParams } from '../http/params-wire.js';

const orderBy = z.enum(['created_at', 'updated_at', 'last_run_completion'], {
  error: 'must be created_at, updated_at or last_run_completion',
});

const listQuery = z.object({
  ...pageFields(idOf('agent'), 50),
  name: z.string().optional(),
  query_text: z.string().optional(),
  tags: queryList.optional(),
  match_all_tags: queryBoolean.optional(),
  order_by: orderBy.optional(),
  /** The name of `order_by` in older clients. */
  sort_by: orderBy.optional(),
  last_stop_reason: z.enum(stopReasons).optional(),
  project_id: z.string().optional(),
  template_id: z.string().optional(),
  base_template_id: z.string().optional(),
  identity_id: z.string().optional(),
  identifier_keys: queryList.optional(),
  show_hidden_agents: queryBoolean.optional(),
  // If this were ignored, the list would hold agents that were not asked for.
  created_by_id: refusedQuery('is not supported: this server has no users. Leave it out'),
});

/** Agents themselves: create, list, count, retrieve, change, delete. */
export function agentRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const agents = createResource(app, {
    ...{ path: '/v1/agents', operations: 'agents' },
    ...{ params: agentParams, item: wireAgent },
  });
  agents.create('Create an agent', createAgentBody, async (request) => {
    const caller = callerOf(request);
    const defaults = {
      ...{ agentType: defaultAgentType(caller), generation: generationOf(caller) },
      madeBy: request.toolCaller?.agentId,
    };
    return viewAgent(context, await createRequestedAgent(context, request.body, defaults));
  });
  agents.list('List agents, newest first', { query: listQuery, order: 'desc' }, async ({ query }, page) => {
    const by = query.order_by ?? query.sort_by;
    return viewAgents(context, await listAgents(db, toFilter(query), page, by));
  });
  agents.count('Count agents', () => countAgents(db));
  agents.retrieve('Retrieve an agent', async (request) =>
    viewAgent(context, await requireAgent(db, request.params.agent_id), authorOf(request)),
  );
  agents.change('update', 'Change an agent', updateAgentBody, async ({ params, body }) =>
    viewAgent(context, await changeRequestedAgent(context, params.agent_id, body)),
  );
  agents.delete('Delete an agent and cancel what runs for it', async ({ params }) => {
    for (const agentId of await deleteWithPartners(db, params.agent_id)) await stopAndPurge(context, agentId);
  });
}

function toFilter(query: z.infer<typeof listQuery>): AgentFilter {
  const { project_id, template_id, base_template_id } = query;
  const kept = definedFields({ project_id, template_id, base_template_id });
  return {
    name: query.name,
    query: query.query_text,
    tags: query.tags,
    matchAllTags: query.match_all_tags,
    lastStopReason: query.last_stop_reason,
    kept: Object.keys(kept).length === 0 ? undefined : kept,
    identityId: query.identity_id,
    identifierKeys: query.identifier_keys,
    showsHidden: query.show_hidden_agents ?? false,
  };
}

async function stopAndPurge({ db, turns }: RouteContext, agentId: string): Promise<void> {
  const unfinished = await listTurns(db, { agentIds: [agentId], states: ['created', 'running'] }, {});
  await Promise.all(unfinished.map((turn) => turns.cancel(turn.id)));
  // Turns that still run need these rows to end in order; the rows are purged later.
  if (unfinished.length === 0) await purgeAgent(db, agentId);
}
