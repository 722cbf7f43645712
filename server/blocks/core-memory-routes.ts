import { z } from 'zod';
import {
  attachBlock,
  detachBlock,
  getAgentBlock,
  listAgentBlocks,
} from '../../schema/blocks/agent-blocks.js';
import { shareWithPartner, unshareWithPartner } from '../../client/partners.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { requireBlock } from '../../schema/blocks/blocks.js';
import { inTransaction } from '../../schema/db/database.js';
import { asEditedBy } from '../../schema/refinement/branches.js';
import { viewAgent } from '../agents/views.js';
import { toEtag, writeBlock } from './writes.js';
import { authorOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { keptAgentExtras } from '../agents/agent-requests-wire.js';
import { wireAgent } from '../agents/agents-wire.js';
import { attachBody, fromAttachBody, toWireBlock, updateBlockBody, wireBlock } from './blocks-wire.js';
import { freeObject, pageFields, toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { cutPage } from '../http/lists-wire.js';
import { agentParams } from '../agents/agents-routes.js';
import { describeRoute } from '../http/documentation-routes.js';

const labelParams = agentParams.extend({ block_label: z.string().min(1) });
const attachParams = agentParams.extend({ block_id: idOf('block') });

/** An agent's core memory: its blocks, by label, and which ones it has. */
export function coreMemoryRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/agents/:agent_id/core-memory',
    {
      schema: {
        ...describeRoute('agents.core_memory.retrieve', 'Retrieve the core memory as older clients read it'),
        params: agentParams,
        response: { 200: freeObject },
      },
    },
    async (request) => {
      const agent = await requireAgent(db, request.params.agent_id);
      return (await viewAgent(context, agent, authorOf(request))).memory;
    },
  );
  app.get(
    '/v1/agents/:agent_id/core-memory/variables',
    {
      schema: {
        ...describeRoute('agents.memory_variables.list', 'The variables that the agent was made with'),
        params: agentParams,
        response: { 200: z.object({ variables: z.record(z.string(), z.string()) }) },
      },
    },
    async ({ params }) => {
      const { extras } = await requireAgent(db, params.agent_id);
      const { data: kept = {} } = keptAgentExtras.safeParse(extras);
      return { variables: kept.memory_variables ?? {} };
    },
  );
  app.get(
    '/v1/agents/:agent_id/core-memory/blocks',
    {
      schema: {
        ...describeRoute('agents.blocks.list', 'List an agent’s blocks in the order of its prompt'),
        params: agentParams,
        querystring: z.object(pageFields(idOf('block'), 100)),
        response: { 200: z.array(wireBlock) },
      },
    },
    async (request) => {
      const { params, query } = request;
      await requireAgent(db, params.agent_id);
      const blocks = cutPage(await listAgentBlocks(db, params.agent_id), toPage(query, 'asc'));
      return blocks.map(await asEditedBy(db, authorOf(request))).map(toWireBlock);
    },
  );
  app.get(
    '/v1/agents/:agent_id/core-memory/blocks/:block_label',
    {
      schema: {
        ...describeRoute('agents.blocks.retrieve', 'Retrieve an agent’s block by its label'),
        params: labelParams,
        response: { 200: wireBlock },
      },
    },
    async (request, reply) => {
      const { agent_id: agentId, block_label: label } = request.params;
      await requireAgent(db, agentId);
      const asEdited = await asEditedBy(db, authorOf(request));
      const block = asEdited(await getAgentBlock(db, agentId, label));
      void reply.header('etag', toEtag(block));
      return toWireBlock(block);
    },
  );
  app.patch(
    '/v1/agents/:agent_id/core-memory/blocks/:block_label',
    {
      schema: {
        ...describeRoute('agents.blocks.update', 'Change an agent’s block by its label'),
        params: labelParams,
        body: updateBlockBody,
        response: { 200: wireBlock },
      },
    },
    async (request, reply) => {
      const { params, body, headers } = request;
      await requireAgent(db, params.agent_id);
      const { id } = await getAgentBlock(db, params.agent_id, params.block_label);
      const write = { blockId: id, body, ifMatch: headers['if-match'], author: authorOf(request) };
      const block = await writeBlock(db, write);
      void reply.header('etag', toEtag(block));
      return toWireBlock(block);
    },
  );
  attachmentRoutes(app, context);
}

function attachmentRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.patch(
    '/v1/agents/:agent_id/core-memory/blocks/attach/:block_id',
    {
      schema: {
        ...describeRoute(
          'agents.blocks.attach',
          'Attach a block to an agent; `read_only`: it may not change it; `notify`: others’ changes wake it',
        ),
        params: attachParams,
        body: attachBody,
        response: { 200: wireAgent },
      },
    },
    async ({ params, body }) => {
      const { agent_id: agentId, block_id: blockId } = params;
      await inTransaction(db, async (tx) => {
        await attachBlock(tx, { agentId, blockId, ...fromAttachBody(body) });
        await shareWithPartner(tx, agentId, await requireBlock(tx, blockId));
      });
      return viewAgent(context, await requireAgent(db, params.agent_id));
    },
  );
  app.patch(
    '/v1/agents/:agent_id/core-memory/blocks/detach/:block_id',
    {
      schema: {
        ...describeRoute('agents.blocks.detach', 'Detach a block from an agent; the block lives on'),
        params: attachParams,
        response: { 200: wireAgent },
      },
    },
    async ({ params }) => {
      const agent = await requireAgent(db, params.agent_id);
      await requireBlock(db, params.block_id);
      await inTransaction(db, async (tx) => {
        await detachBlock(tx, agent.id, params.block_id);
        await unshareWithPartner(tx, agent.id, params.block_id);
      });
      return viewAgent(context, agent);
    },
  );
}
