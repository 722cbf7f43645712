import { z } from 'zod';
import { requireBlock } from '../../schema/blocks/blocks.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { blockEventTypes, streamBlock, streamBlocks } from './block-stream.js';
import { describeRoute } from '../http/route-documentation.js';
import { blockParams } from '../http/params-wire.js';

const eventNumber = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const followQuery = z.object({ after: eventNumber.optional() });
const followHeaders = z.looseObject({ 'last-event-id': eventNumber.optional().catch(undefined) });

const types = z.enum(blockEventTypes, { error: `must be of: ${blockEventTypes.join(', ')}` });
const allQuery = followQuery.extend({
  types: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((list) => list.split(',')))
    .pipe(z.array(types).min(1))
    .optional(),
});

/** Streams of block changes, for programs that follow them. Not part of Letta's API. */
export function blockEventRoutes(app: App, context: RouteContext): void {
  const { db, blocks, streams } = context;
  app.get(
    '/v1/blocks/:block_id/events',
    {
      schema: {
        ...describeRoute(
          'blocks.events.stream',
          'Follow a block as server-sent events, from now on or after the revision `after`',
        ),
        params: blockParams,
        querystring: followQuery,
        headers: followHeaders,
      },
    },
    async ({ params, query, headers }, reply) => {
      const block = await requireBlock(db, params.block_id);
      // Read before the answer begins: from then on its reader relies on getting every later revision.
      const after = placeOf(query, headers) ?? block.revision;
      return streams.send(reply, { source: (signal) => streamBlock(blocks, block, { after, signal }) });
    },
  );
  app.get(
    '/v1/events',
    {
      schema: {
        ...describeRoute(
          'events.stream',
          'Follow all blocks as server-sent events, from now on or after the event `after`',
        ),
        querystring: allQuery,
        headers: followHeaders,
      },
    },
    async ({ query, headers }, reply) => {
      const wanted = query.types ?? blockEventTypes;
      const after = placeOf(query, headers) ?? (await blocks.newest());
      return streams.send(reply, { source: (signal) => streamBlocks(blocks, wanted, { after, signal }) });
    },
  );
}

/** Where the reader left off. A reader that connects again sends it in a header, which overrides the query. */
function placeOf(
  query: z.infer<typeof followQuery>,
  headers: z.infer<typeof followHeaders>,
): number | undefined {
  return headers['last-event-id'] ?? query.after;
}
