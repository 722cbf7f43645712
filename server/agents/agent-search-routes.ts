import { z } from 'zod';
import { type AgentFilter, listAgents } from '../../schema/agents/agents.js';
import { viewAgents } from './agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { wireAgent } from './agents-wire.js';
import { idOf } from '../http/ids-wire.js';
import { describeRoute } from '../http/route-documentation.js';

const noVersion = 'is not supported: agents have no versions. Leave it out';

const condition = z.discriminatedUnion('field', [
  z.object({ field: z.literal('name'), operator: z.enum(['eq', 'contains']), value: z.string() }),
  z.object({ field: z.literal('tags'), operator: z.literal('contains'), value: z.array(z.string()) }),
  z.object({ field: z.literal('identity'), operator: z.literal('eq'), value: z.string() }),
  z.object({ field: z.literal('version'), value: z.never({ error: noVersion }) }),
]);

type Condition = z.infer<typeof condition>;

function countOf(kind: string, conditions: readonly Condition[]): number {
  return conditions.filter((one) => 'operator' in one && `${one.field} ${one.operator}` === kind).length;
}

const searchBody = z
  .object({
    search: z
      .array(condition)
      .refine((all) => ['name eq', 'name contains', 'identity eq'].every((kind) => countOf(kind, all) <= 1), {
        error: 'must not have two conditions with the same field and operator, except for tags',
      })
      .nullish(),
    combinator: z.literal('AND').nullish(),
    project_id: z.string().nullish(),
    limit: z.int().min(1).max(1_000).nullish(),
    after: idOf('agent').nullish(),
    sortBy: z.enum(['created_at', 'last_run_completion']).nullish(),
    ascending: z.boolean().nullish(),
  })
  .meta({ id: 'AgentsSearchRequest' });

const searchResponse = z.object({ agents: z.array(wireAgent), nextCursor: z.string().nullable() });

/** Finds agents by several conditions at once, for clients of 0.1.x. */
export function agentSearchRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/agents/search',
    {
      schema: {
        ...describeRoute('agents.search', 'Find agents that meet all conditions, newest first'),
        body: searchBody,
        response: { 200: searchResponse },
      },
    },
    async ({ body }) => {
      const limit = body.limit ?? 50;
      const page = {
        after: body.after ?? undefined,
        limit: limit + 1,
        order: body.ascending === true ? ('asc' as const) : ('desc' as const),
      };
      const found = await listAgents(context.db, toFilter(body), page, body.sortBy ?? undefined);
      const agents = found.slice(0, limit);
      const nextCursor = found.length > limit ? (agents.at(-1)?.id ?? null) : null;
      return { agents: await viewAgents(context, agents), nextCursor };
    },
  );
}

function toFilter({ search, project_id: project }: z.infer<typeof searchBody>): AgentFilter {
  const filter = { showsHidden: false, ...(project == null ? {} : { kept: { project_id: project } }) };
  return (search ?? []).reduce<AgentFilter>((so, one) => ({ ...so, ...toPart(one, so) }), filter);
}

function toPart(one: Condition, so: AgentFilter): AgentFilter {
  switch (one.field) {
    case 'name':
      return one.operator === 'eq' ? { name: one.value } : { query: one.value };
    case 'tags':
      return { tags: [...(so.tags ?? []), ...one.value], matchAllTags: true };
    case 'identity':
      return { identityId: one.value };
    case 'version':
      return {};
  }
}
