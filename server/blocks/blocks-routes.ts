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
import { asEditedBy } from '../../schema/blocks/branches.js';
import { viewAgents } from '../agents/agent-views.js';
import { parseRevision, replyBlock, writeBlock } from './block-writes.js';
import { authorOf, callerOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { wireAgent } from '../agents/agents-wire.js';
import { createBlockBody, fromCreateBlock, toWireBlock, updateBlockBody, wireBlock } from './blocks-wire.js';
import { generationOf } from '../http/client-generation-wire.js';
import { int32, pageFields, queryBoolean, queryList } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { createResource, listRoute } from '../http/resource.js';
import { blockParams } from '../http/params-wire.js';

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

/** Blocks, independent of the agents that have them. */
export function blockRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const blocks = createResource(app, {
    ...{ path: '/v1/blocks', operations: 'blocks' },
    ...{ params: blockParams, item: wireBlock },
  });
  blocks.create('Create a block', createBlockBody, async (request, reply) => {
    const body = fromCreateBlock(request.body, generationOf(callerOf(request)));
    return replyBlock(reply, await createBlock(db, body));
  });
  blocks.list('List blocks, oldest first', { query: listQuery, order: 'asc' }, async ({ query }, page) =>
    (await listBlocks(db, toFilter(query), page)).map(toWireBlock),
  );
  blocks.count('Count blocks', () => countBlocks(db));
  blocks.retrieve('Retrieve a block', async (request, reply) => {
    const asEdited = await asEditedBy(db, authorOf(request));
    return replyBlock(reply, asEdited(await requireBlock(db, request.params.block_id)));
  });
  blocks.change(
    'update',
    'Change a block; with `If-Match`, only if the block is still at that revision',
    updateBlockBody,
    async (request, reply) => {
      const { params, body, headers } = request;
      const write = { blockId: params.block_id, body, ifMatch: headers['if-match'] };
      return replyBlock(reply, await writeBlock(db, { ...write, author: authorOf(request) }));
    },
  );
  blocks.deleteAndShow(
    'Delete a block with its history, for all agents that have it',
    async ({ params, headers }) =>
      toWireBlock(await deleteBlock(db, params.block_id, parseRevision(headers['if-match']))),
  );
  listRoute(
    app,
    {
      ...{ path: '/v1/blocks/:block_id/agents', operation: 'blocks.agents.list' },
      summary: 'List the agents that have a block',
      params: blockParams,
      ...{ query: z.object(pageFields(idOf('agent'), 50)), order: 'desc', item: wireAgent },
    },
    async ({ params }, page) => {
      await requireBlock(db, params.block_id);
      return viewAgents(context, await listAgents(db, { blockId: params.block_id }, page));
    },
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
