import { z } from 'zod';
import { requireAgent } from '../../schema/agents/agents.js';
import { listEpochs, listEvictions } from '../../schema/threads/epoch-history.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { agentParams } from '../http/params-wire.js';
import { describeRoute } from '../http/route-documentation.js';
import { toWireContextHistory, wireContextHistory } from './context-history-wire.js';

const historyQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });

/** Where an agent's prompt was compiled again, and where its oldest messages left the context. */
export function contextHistoryRoutes(app: App, { db }: RouteContext): void {
  app.get(
    '/v1/agents/:agent_id/context/history',
    {
      schema: {
        ...describeRoute(
          'agents.context.history',
          'List the epochs and evictions of an agent’s context, newest first',
        ),
        params: agentParams,
        querystring: historyQuery,
        response: { 200: wireContextHistory },
      },
    },
    async ({ params, query }) => {
      const { id: agentId } = await requireAgent(db, params.agent_id);
      const [epochs, evictions] = await Promise.all([
        listEpochs(db, { agentId, threadId: agentId }, query.limit),
        listEvictions(db, agentId, query.limit),
      ]);
      return toWireContextHistory(epochs, evictions);
    },
  );
}
