import { z } from 'zod';
import { attachSource, detachSource, listAgentSources } from '../../schema/files/agent-sources.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { inTransaction } from '../../schema/db/database.js';
import { requireSource } from '../../schema/files/sources.js';
import { describeEmbedding, viewAgent } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import { openSourceFiles } from './open-files.js';
import type { App } from '../deps.js';
import { wireAgent } from '../agents/agents-wire.js';
import { pageFields } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { toWireSource, wireSource } from './sources-wire.js';
import { listRoute } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { families, type Family } from './source-families-wire.js';
import { agentParams } from '../http/params-wire.js';

const attachParams = agentParams.extend({ source_id: idOf('source') });

/** Which sources (folders) an agent has: list, attach, detach. */
export function agentSourceRoutes(app: App, context: RouteContext): void {
  for (const family of families) {
    listRoute(
      app,
      {
        ...{ path: `/v1/agents/:agent_id/${family}`, operation: `agents.${family}.list` },
        summary: 'List the sources (folders) of an agent, oldest first',
        params: agentParams,
        ...{ query: z.object(pageFields(idOf('source'), 100)), order: 'asc', item: wireSource },
      },
      async ({ params }, page) =>
        (await listAgentSources(context.db, params.agent_id, page)).map((source) =>
          toWireSource(source, describeEmbedding(context, source.embedding)),
        ),
    );
    attachRoutes(app, context, family);
  }
}

function attachRoutes(app: App, context: RouteContext, family: Family): void {
  const { db } = context;
  app.patch(
    `/v1/agents/:agent_id/${family}/attach/:source_id`,
    {
      schema: {
        ...describeRoute(`agents.${family}.attach`, 'Attach a source (folder) to an agent'),
        params: attachParams,
        response: { 200: wireAgent },
      },
    },
    async ({ params }) => {
      await inTransaction(db, async (tx) => {
        await attachSource(tx, params.agent_id, params.source_id);
        await openSourceFiles(context, tx, params.agent_id);
      });
      return viewAgent(context, await requireAgent(db, params.agent_id));
    },
  );
  app.patch(
    `/v1/agents/:agent_id/${family}/detach/:source_id`,
    {
      schema: {
        ...describeRoute(`agents.${family}.detach`, 'Detach a source (folder) from an agent'),
        params: attachParams,
        response: { 200: wireAgent },
      },
    },
    async ({ params }) => {
      await requireSource(db, params.source_id);
      await detachSource(db, params.agent_id, params.source_id);
      return viewAgent(context, await requireAgent(db, params.agent_id));
    },
  );
}
