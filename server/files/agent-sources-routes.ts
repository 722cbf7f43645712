import { z } from 'zod';
import { attachSource, detachSource, listAgentSources } from '../../schema/files/agent-sources.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { inTransaction } from '../../schema/db/database.js';
import { requireSource } from '../../schema/files/sources.js';
import { describeEmbedding, viewAgent } from '../agents/views.js';
import type { RouteContext } from '../context.js';
import { openSources } from './open-sources.js';
import type { App } from '../deps.js';
import { wireAgent } from '../agents/agents-wire.js';
import { pageFields, toPage } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { toWireSource, wireSource } from './sources-wire.js';
import { agentParams } from '../agents/agents-routes.js';
import { describeRoute } from '../http/documentation-routes.js';
import { families, type Family } from './source-families-routes.js';

const attachParams = agentParams.extend({ source_id: idOf('source') });

/** Which sources (folders) an agent has: list, attach, detach. */
export function agentSourceRoutes(app: App, context: RouteContext): void {
  for (const family of families) {
    listRoute(app, context, family);
    attachRoutes(app, context, family);
  }
}

function listRoute(app: App, context: RouteContext, family: Family): void {
  app.get(
    `/v1/agents/:agent_id/${family}`,
    {
      schema: {
        ...describeRoute(`agents.${family}.list`, 'List the sources (folders) of an agent, oldest first'),
        params: agentParams,
        querystring: z.object(pageFields(idOf('source'), 100)),
        response: { 200: z.array(wireSource) },
      },
    },
    async ({ params, query }) => {
      const sources = await listAgentSources(context.db, params.agent_id, toPage(query, 'asc'));
      return sources.map((source) => toWireSource(source, describeEmbedding(context, source.embedding)));
    },
  );
}

function attachRoutes(app: App, context: RouteContext, family: Family): void {
  const { db } = context;
  app.patch(
    `/v1/agents/:agent_id/${family}/attach/:source_id`,
    {
      schema: {
        ...describeRoute(`agents.${family}.attach`, 'Give an agent a source (folder)'),
        params: attachParams,
        response: { 200: wireAgent },
      },
    },
    async ({ params }) => {
      await inTransaction(db, async (tx) => {
        await attachSource(tx, params.agent_id, params.source_id);
        await openSources(context, tx, params.agent_id);
      });
      return viewAgent(context, await requireAgent(db, params.agent_id));
    },
  );
  app.patch(
    `/v1/agents/:agent_id/${family}/detach/:source_id`,
    {
      schema: {
        ...describeRoute(`agents.${family}.detach`, 'Take a source (folder) from an agent'),
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
