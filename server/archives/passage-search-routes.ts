import { z } from 'zod';
import { requireAgent } from '../../schema/agents/agents.js';
import { requireArchive } from '../../schema/archives/archives.js';
import { type FoundPassage } from '../../schema/archives/archival.js';
import { describeEmbedding } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { freeObject, moment } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { toWirePassage, wirePassage } from './passages-wire.js';
import { describeRoute } from '../http/route-documentation.js';

const searchBody = z
  .object({
    query: z.string().nullish(),
    agent_id: idOf('agent').nullish(),
    archive_id: idOf('archive').nullish(),
    tags: z.array(z.string()).nullish(),
    tag_match_mode: z.enum(['any', 'all']).nullish(),
    limit: z.int().min(1).max(100).default(50),
    start_date: moment.nullish(),
    end_date: moment.nullish(),
  })
  .meta({ id: 'PassageSearchRequest' });

const foundPassage = z
  .object({ passage: wirePassage, score: z.number(), metadata: freeObject })
  .meta({ id: 'PassageSearchResult' });

/** Searches the passages of all agents and archives. */
export function passageSearchRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/passages/search',
    {
      schema: {
        ...describeRoute('passages.search', 'Search passages of an agent, of an archive, or of all'),
        body: searchBody,
        response: { 200: z.array(foundPassage) },
      },
    },
    async ({ body }) => {
      const { handle, found } = await search(context, body);
      const fallback = describeEmbedding(context, handle);
      return found.map(({ passage, score }) => {
        const embedding =
          passage.embeddingModel === null ? fallback : describeEmbedding(context, passage.embeddingModel);
        return { passage: toWirePassage(passage, embedding), score, metadata: {} };
      });
    },
  );
}

/** `handle`: the model whose vectors were compared. */
async function search(
  { db, archival, embeddings }: RouteContext,
  body: z.infer<typeof searchBody>,
): Promise<{ handle: string; found: readonly FoundPassage[] }> {
  const query = body.query ?? '';
  const agent = body.agent_id == null ? undefined : await requireAgent(db, body.agent_id);
  const archive = body.archive_id == null ? undefined : await requireArchive(db, body.archive_id);
  const embedder = embeddings.resolve(archive?.embedding ?? agent?.embedding);
  const handle = embedder.description.handle;
  const [vector] = query === '' ? [] : await embedder.embed([query]);
  const asked = {
    query,
    embedding: vector === undefined ? undefined : { vector, model: handle },
    tags: body.tags ?? undefined,
    tagMatch: body.tag_match_mode ?? undefined,
    from: body.start_date ?? undefined,
    to: body.end_date ?? undefined,
    limit: body.limit,
  };
  const found =
    agent === undefined || archive !== undefined
      ? await archival.searchAll(db, { ...asked, archiveId: archive?.id })
      : await archival.search(db, { ...asked, agentId: agent.id });
  return { handle, found };
}
