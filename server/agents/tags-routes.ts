import { z } from 'zod';
import { listTags } from '../../schema/agents/tags.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { describeRoute } from '../http/route-documentation.js';

const listQuery = z.object({
  before: z.string().optional(),
  after: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(50),
  order_by: z.literal('name', { error: 'must be name' }).optional(),
  order: z.enum(['asc', 'desc']).default('asc'),
  query_text: z.string().optional(),
  name: z.string().optional(),
});

/** The tags of agents and blocks. A tag is its own cursor. */
export function tagRoutes(app: App, { db }: RouteContext): void {
  app.get(
    '/v1/tags',
    {
      schema: {
        ...describeRoute('tags.list', 'List the tags in use, by name'),
        querystring: listQuery,
        response: { 200: z.array(z.string()) },
      },
    },
    ({ query }) => listTags(db, { ...query, text: query.query_text ?? query.name }),
  );
}
