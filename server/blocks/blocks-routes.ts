import { z } from 'zod';
import { listAgents } from '../../schema/agents/agents.js';
import {
  type BlockFilter,
  countBlocks,
  createBlock,
  deleteBlock,
  listBlocks,
  requireBlock,
} from '../../schema/blocks/blocks.js';
import { asEditedBy } from '../../schema/refinement/branches.js';
import { viewAgents } from '../agents/views.js';
import { parseRevision, toEtag, writeBlock } from './writes.js';
import { authorOf, callerOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { wireAgent } from '../agents/agents-wire.js';
import { createBlockBody, fromCreateBlock, toWireBlock, updateBlockBody, wireBlock } from './blocks-wire.js';
import { generationOf } from '../http/client-generation-wire.js';
import { int32, pageFields, queryBoolean, queryList, toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { describeRoute } from '../http/documentation-routes.js';

/** The path of everything that is of one block. */
export const blockParams = z.object({ block_id: idOf('block') });

const agentCount = z.coerce.number().pipe(int32);

const listQuery = z.object({
  ...pageFields(idOf('block'), 50),
  label: z.string().optional(),
  name: z.string().optional(),
  label_search: z.string().optional(),
  value_search: z.string().optional(),
  tags: queryList.optional(),
  match_all_tags: queryBoolean.optional(),
  identity_id: z.string().optional(),
  identifier_keys: queryList.optional(),
  description_search: z.string().optional(),
  project_id: z.string().optional(),
  templates_only: queryBoolean.optional(),
  show_hidden_blocks: queryBoolean.optional(),
  connected_to_agents_count_eq: z
    .union([agentCount.transform((one) => [one]), z.array(agentCount)])
    .optional(),
  connected_to_agents_count_gt: agentCount.optional(),
  connected_to_agents_count_lt: agentCount.optional(),
});

/** Blocks on their own, whichever agents have them. */
export function blockRoutes(app: App, context: RouteContext): void {
  collectionRoutes(app, context);
  itemRoutes(app, context);
}

function collectionRoutes(app: App, { db }: RouteContext): void {
  app.post(
    '/v1/blocks',
    {
      schema: {
        ...describeRoute('blocks.create', 'Create a block'),
        body: createBlockBody,
        response: { 200: wireBlock },
      },
    },
    async (request, reply) => {
      const body = fromCreateBlock(request.body, generationOf(callerOf(request)));
      const block = await createBlock(db, body);
      void reply.header('etag', toEtag(block));
      return toWireBlock(block);
    },
  );
  app.get(
    '/v1/blocks',
    {
      schema: {
        ...describeRoute('blocks.list', 'List blocks, oldest first'),
        querystring: listQuery,
        response: { 200: z.array(wireBlock) },
      },
    },
    async ({ query }) => {
      return (await listBlocks(db, toFilter(query), toPage(query, 'asc'))).map(toWireBlock);
    },
  );
  app.get(
    '/v1/blocks/count',
    { schema: { ...describeRoute('blocks.count', 'Count blocks'), response: { 200: z.number() } } },
    () => countBlocks(db),
  );
}

function toFilter(query: z.infer<typeof listQuery>): BlockFilter {
  const kept = {
    ...(query.project_id === undefined ? {} : { project_id: query.project_id }),
    ...(query.templates_only === true ? { is_template: true } : {}),
  };
  return {
    labels: query.label === undefined ? undefined : [query.label],
    name: query.name,
    inLabel: query.label_search,
    inValue: query.value_search,
    inDescription: query.description_search,
    tags: query.tags,
    matchAllTags: query.match_all_tags,
    identityId: query.identity_id,
    identifierKeys: query.identifier_keys,
    showsHidden: query.show_hidden_blocks ?? false,
    kept: Object.keys(kept).length === 0 ? undefined : kept,
    agents: {
      among: query.connected_to_agents_count_eq,
      over: query.connected_to_agents_count_gt,
      under: query.connected_to_agents_count_lt,
    },
  };
}

function itemRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/blocks/:block_id',
    {
      schema: {
        ...describeRoute('blocks.retrieve', 'Retrieve a block'),
        params: blockParams,
        response: { 200: wireBlock },
      },
    },
    async (request, reply) => {
      const asEdited = await asEditedBy(db, authorOf(request));
      const block = asEdited(await requireBlock(db, request.params.block_id));
      void reply.header('etag', toEtag(block));
      return toWireBlock(block);
    },
  );
  app.patch(
    '/v1/blocks/:block_id',
    {
      schema: {
        ...describeRoute(
          'blocks.update',
          'Change a block; `If-Match` refuses it where the block has moved on',
        ),
        params: blockParams,
        body: updateBlockBody,
        response: { 200: wireBlock },
      },
    },
    async (request, reply) => {
      const { params, body, headers } = request;
      const write = {
        blockId: params.block_id,
        body,
        ifMatch: headers['if-match'],
        author: authorOf(request),
      };
      const block = await writeBlock(db, write);
      void reply.header('etag', toEtag(block));
      return toWireBlock(block);
    },
  );
  app.delete(
    '/v1/blocks/:block_id',
    {
      schema: {
        ...describeRoute(
          'blocks.delete',
          'Delete a block with its history, also for the agents that have it',
        ),
        params: blockParams,
        response: { 200: wireBlock },
      },
    },
    async ({ params, headers }) =>
      // Clients of 0.1.x read the block that was.
      toWireBlock(await deleteBlock(db, params.block_id, parseRevision(headers['if-match']))),
  );
  app.get(
    '/v1/blocks/:block_id/agents',
    {
      schema: {
        ...describeRoute('blocks.agents.list', 'List the agents that have a block'),
        params: blockParams,
        querystring: z.object(pageFields(idOf('agent'), 50)),
        response: { 200: z.array(wireAgent) },
      },
    },
    async ({ params, query }) => {
      await requireBlock(db, params.block_id);
      const agents = await listAgents(db, { blockId: params.block_id }, toPage(query, 'desc'));
      return viewAgents(context, agents);
    },
  );
}
