import { z } from 'zod';
import type { Embedder } from '../../adapters/embeddings/embedder.js';
import { clockface } from '../../core/times.js';
import { requireAgent } from '../../schema/agents/agents.js';
import { type PassageEdit, requirePassage } from '../../schema/archives/passage-edits.js';
import { describeEmbedding } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { moment, pageFields, queryList } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { insertPassage, searchPassages } from './agent-passages.js';
import { createPassageBody, toWirePassage, updatePassageBody, wirePassage } from './passages-wire.js';
import { listRoute } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const memoryParams = agentParams.extend({ memory_id: idOf('passage') });

const listQuery = z.object({ ...pageFields(idOf('passage'), 100), search: z.string().optional() });

const searchQuery = z.object({
  query: z.string(),
  tags: queryList.optional(),
  tag_match_mode: z.enum(['any', 'all']).optional(),
  top_k: z.coerce.number().int().min(1).max(1000).default(5),
  start_datetime: moment.optional(),
  end_datetime: moment.optional(),
});

const searchResponse = z
  .object({
    results: z.array(
      z.object({ id: z.string(), timestamp: z.string(), content: z.string(), tags: z.array(z.string()) }),
    ),
    count: z.number(),
  })
  .meta({ id: 'ArchivalMemorySearchResponse' });

/** An agent's archival memory: insert, list, search, change, delete. */
export function archivalMemoryRoutes(app: App, context: RouteContext): void {
  const { db, archival } = context;
  app.post(
    '/v1/agents/:agent_id/archival-memory',
    {
      schema: {
        ...describeRoute('agents.passages.create', 'Insert a passage'),
        params: agentParams,
        body: createPassageBody,
        response: { 200: z.array(wirePassage) },
      },
    },
    async ({ params, body }) => {
      const agent = await requireAgent(db, params.agent_id);
      const { text, tags, created_at: createdAt } = body;
      const passage = { text, tags: tags ?? [], createdAt: createdAt ?? undefined };
      const { passages, embedding } = await insertPassage(context, agent, passage);
      return passages.map((stored) => toWirePassage(stored, embedding));
    },
  );
  listRoute(
    app,
    {
      ...{ path: '/v1/agents/:agent_id/archival-memory', operation: 'agents.passages.list' },
      summary: 'List passages, oldest first',
      params: agentParams,
      ...{ query: listQuery, order: 'asc', item: wirePassage },
    },
    async ({ params, query }, page) => {
      const agent = await requireAgent(db, params.agent_id);
      const passages = await archival.list(db, { agentId: agent.id, search: query.search }, page);
      const embedding = describeEmbedding(context, agent.embedding);
      return passages.map((passage) => toWirePassage(passage, embedding));
    },
  );
  searchRoute(app, context);
  editRoute(app, context);
  app.delete(
    '/v1/agents/:agent_id/archival-memory/:memory_id',
    {
      schema: {
        ...describeRoute('agents.passages.delete', 'Delete a passage'),
        params: memoryParams,
      },
    },
    async ({ params }) => {
      await requireAgent(db, params.agent_id);
      await archival.delete(db, params.agent_id, params.memory_id);
      return null;
    },
  );
}

function editRoute(app: App, { db, archival, embeddings }: RouteContext): void {
  app.patch(
    '/v1/agents/:agent_id/archival-memory/:memory_id',
    {
      schema: {
        ...describeRoute('agents.passages.modify', 'Change a passage in place; a new text is embedded again'),
        params: memoryParams,
        body: updatePassageBody,
        response: { 200: z.array(wirePassage) },
      },
    },
    async ({ params, body }) => {
      const agent = await requireAgent(db, params.agent_id);
      const known = await requirePassage(db, agent.id, params.memory_id);
      const embedder = embeddings.resolve(known.embeddingModel ?? agent.embedding);
      const edit = {
        text: body.text == null ? undefined : await embedText(embedder, body.text),
        metadata: body.metadata ?? body.metadata_ ?? undefined,
        createdAt: body.created_at ?? undefined,
      };
      const edited = await archival.edit(db, { agentId: agent.id, passageId: known.id }, edit);
      return [toWirePassage(edited, embedder.description)];
    },
  );
}

async function embedText(embedder: Embedder, text: string): Promise<PassageEdit['text']> {
  const [vector] = await embedder.embed([text]);
  const { handle: model } = embedder.description;
  return { words: text, embedding: vector === undefined ? undefined : { vector, model } };
}

function searchRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/agents/:agent_id/archival-memory/search',
    {
      schema: {
        ...describeRoute('agents.passages.search', 'Search archival memory by meaning and by words'),
        params: agentParams,
        querystring: searchQuery,
        response: { 200: searchResponse },
      },
    },
    async ({ params, query }) => {
      const agent = await requireAgent(context.db, params.agent_id);
      const found = await searchPassages(context, agent, {
        query: query.query,
        tags: query.tags,
        tagMatch: query.tag_match_mode,
        from: query.start_datetime,
        to: query.end_datetime,
        limit: query.top_k,
      });
      const { iso } = clockface(agent.timezone);
      const results = found.map(({ passage }) => ({
        id: passage.id,
        timestamp: iso(passage.createdAt),
        content: passage.text,
        tags: [...passage.tags],
      }));
      return { results, count: results.length };
    },
  );
}
