import { z } from 'zod';
import { requireAgent } from '../../schema/agents/agents.js';
import { getPassages } from '../../schema/archives/passages.js';
import { listPins, pinPassage, unpinPassage } from '../../schema/archives/pins.js';
import { describeEmbedding } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { idOf } from '../http/ids-wire.js';
import { toWirePassage, type WirePassage, wirePassage } from './passages-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const params = agentParams.extend({ memory_id: idOf('passage') });

/** Passages that are pinned into an agent's context. Each route answers with all of them. */
export function pinRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const response = { 200: z.array(wirePassage) };
  app.get(
    '/v1/agents/:agent_id/archival-memory/pinned',
    {
      schema: {
        ...describeRoute('agents.passages.list_pinned', 'List the passages that are pinned into the context'),
        params: agentParams,
        response,
      },
    },
    async (request) => view(context, request.params.agent_id),
  );
  app.put(
    '/v1/agents/:agent_id/archival-memory/:memory_id/pin',
    {
      schema: {
        ...describeRoute('agents.passages.pin', 'Pin a passage into the context'),
        params,
        response,
      },
    },
    async (request) => {
      const { agent_id: agentId, memory_id: passageId } = request.params;
      await requireAgent(db, agentId);
      await pinPassage(db, agentId, passageId);
      return view(context, agentId);
    },
  );
  app.delete(
    '/v1/agents/:agent_id/archival-memory/:memory_id/pin',
    {
      schema: {
        ...describeRoute('agents.passages.unpin', 'Unpin a passage from the context'),
        params,
        response,
      },
    },
    async (request) => {
      const { agent_id: agentId, memory_id: passageId } = request.params;
      await requireAgent(db, agentId);
      await unpinPassage(db, agentId, passageId);
      return view(context, agentId);
    },
  );
}

async function view(context: RouteContext, agentId: string): Promise<WirePassage[]> {
  const agent = await requireAgent(context.db, agentId);
  const pins = await listPins(context.db, agentId);
  const passages = await getPassages(
    context.db,
    pins.map((pin) => pin.id),
  );
  const embedding = describeEmbedding(context, agent.embedding);
  return passages.map((passage) => toWirePassage(passage, embedding));
}
