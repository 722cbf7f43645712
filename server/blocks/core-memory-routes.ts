import { z } from 'zod';
import {
  attachBlock,
  detachBlock,
  getAgentBlock,
  listAgentBlocks,
} from '../../schema/blocks/agent-blocks.js';
import { shareWithPartner, unshareWithPartner } from '../../client/sleep-time-partners.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { requireBlock } from '../../schema/blocks/blocks.js';
import { inTransaction } from '../../schema/db/database.js';
import { asEditedBy } from '../../schema/blocks/branches.js';
import { viewAgent } from '../agents/agent-views.js';
import { replyBlock, writeBlock } from './block-writes.js';
import { authorOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { keptAgentExtras } from '../agents/agent-requests-wire.js';
import { wireAgent } from '../agents/agents-wire.js';
import { attachBody, fromAttachBody, toWireBlock, updateBlockBody, wireBlock } from './blocks-wire.js';
import { freeObject, pageFields } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { createResource } from '../http/resource.js';
import { cutPage } from '../http/list-pages.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const labelParams = agentParams.extend({ block_label: z.string().min(1) });
const attachParams = agentParams.extend({ block_id: idOf('block') });

/** An agent's core memory: its blocks by label, and attaching and detaching them. */
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
        ...describeRoute('agents.memory_variables.list', 'List the variables that an agent was created with'),
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
  labelRoutes(app, context);
  attachmentRoutes(app, context);
}

function labelRoutes(app: App, { db }: RouteContext): void {
  const blocks = createResource(app, {
    ...{ path: '/v1/agents/:agent_id/core-memory/blocks', operations: 'agents.blocks' },
    ...{ params: labelParams, item: wireBlock },
  });
  blocks.list(
    'List an agent’s blocks in the order of its prompt',
    { query: z.object(pageFields(idOf('block'), 100)), order: 'asc' },
    async (request, page) => {
      const { agent_id: agentId } = request.params;
      await requireAgent(db, agentId);
      const blocks = cutPage(await listAgentBlocks(db, agentId), page);
      return blocks.map(await asEditedBy(db, authorOf(request))).map(toWireBlock);
    },
  );
  blocks.retrieve('Retrieve an agent’s block by its label', async (request, reply) => {
    const { agent_id: agentId, block_label: label } = request.params;
    await requireAgent(db, agentId);
    const asEdited = await asEditedBy(db, authorOf(request));
    return replyBlock(reply, asEdited(await getAgentBlock(db, agentId, label)));
  });
  blocks.change('update', 'Change an agent’s block by its label', updateBlockBody, async (request, reply) => {
    const { params, body, headers } = request;
    await requireAgent(db, params.agent_id);
    const { id } = await getAgentBlock(db, params.agent_id, params.block_label);
    const write = { blockId: id, body, ifMatch: headers['if-match'], author: authorOf(request) };
    return replyBlock(reply, await writeBlock(db, write));
  });
}

function attachmentRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.patch(
    '/v1/agents/:agent_id/core-memory/blocks/attach/:block_id',
    {
      schema: {
        ...describeRoute(
          'agents.blocks.attach',
          'Attach a block to an agent. `read_only`: the agent can’t change it; `notify`: changes by others wake the agent',
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
        ...describeRoute('agents.blocks.detach', 'Detach a block from an agent; the block itself stays'),
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
