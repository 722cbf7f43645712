import { z } from 'zod';
import type { Embedder } from '../../adapters/embeddings/embedder.js';
import { requireAgent } from '../../schema/agents/agents.js';
import {
  type Archive,
  attachArchive,
  createArchive,
  deleteArchive,
  detachArchive,
  listArchives,
  requireArchive,
  updateArchive,
} from '../../schema/archives/archives.js';
import { deleteArchivePassage, insertIntoArchive, type NewPassage } from '../../schema/archives/passages.js';
import { describeEmbedding } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { chooseEmbedding } from '../models/model-choice.js';
import { archiveBody, archivePatch, archivePassage, toWireArchive, wireArchive } from './archives-wire.js';
import { pageFields } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { toWirePassage, type WirePassage, wirePassage } from './passages-wire.js';
import { createResource } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { agentParams } from '../http/params-wire.js';

const archiveParams = z.object({ archive_id: idOf('archive') });
const listQuery = z.object({
  ...pageFields(idOf('archive'), 50),
  name: z.string().optional(),
  agent_id: idOf('agent').optional(),
});

/** Archives, which agents may share: the archives, their passages, and attaching them to agents. */
export function archiveRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const archives = createResource(app, {
    ...{ path: '/v1/archives', operations: 'archives' },
    ...{ params: archiveParams, item: wireArchive },
  });
  archives.create('Create an archive', archiveBody, async ({ body }) => {
    const embedding = chooseEmbedding(context, body);
    const fields = { name: body.name, description: body.description ?? null, embedding };
    return view(context, await createArchive(db, fields));
  });
  archives.list(
    'List archives, newest first',
    { query: listQuery, order: 'desc' },
    async ({ query }, page) => {
      const found = await listArchives(db, { name: query.name, agentId: query.agent_id }, page);
      return found.map((archive) => view(context, archive));
    },
  );
  archives.retrieve('Retrieve an archive', async ({ params }) =>
    view(context, await requireArchive(db, params.archive_id)),
  );
  archives.change(
    'update',
    'Change an archive’s name or description',
    archivePatch,
    async ({ params, body }) => {
      const patch = { name: body.name ?? undefined, description: body.description ?? undefined };
      return view(context, await updateArchive(db, params.archive_id, patch));
    },
  );
  archives.delete('Delete an archive that is not any agent’s own', ({ params }) =>
    deleteArchive(db, params.archive_id),
  );
  passageRoutes(app, context);
  attachmentRoutes(app, context);
}

function passageRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.post(
    '/v1/archives/:archive_id/passages',
    {
      schema: {
        ...describeRoute('archives.passages.create', 'Add a passage to an archive'),
        params: archiveParams,
        body: archivePassage,
        response: { 200: wirePassage },
      },
    },
    async ({ params, body }) => {
      const [passage] = await store(context, params.archive_id, [body]);
      if (passage === undefined) throw new Error(`archive ${params.archive_id} kept nothing`);
      return passage;
    },
  );
  app.post(
    '/v1/archives/:archive_id/passages/batch',
    {
      schema: {
        ...describeRoute('archives.passages.create_many', 'Add several passages to an archive, all or none'),
        params: archiveParams,
        body: z.object({ passages: z.array(archivePassage).max(1_000) }),
        response: { 200: z.array(wirePassage) },
      },
    },
    ({ params, body }) => store(context, params.archive_id, body.passages),
  );
  app.delete(
    '/v1/archives/:archive_id/passages/:passage_id',
    {
      schema: {
        ...describeRoute('archives.passages.delete', 'Delete a passage of an archive'),
        params: archiveParams.extend({ passage_id: idOf('passage') }),
      },
    },
    async ({ params }) => {
      await requireArchive(db, params.archive_id);
      await deleteArchivePassage(db, params.archive_id, params.passage_id);
      return null;
    },
  );
}

function attachmentRoutes(app: App, { db }: RouteContext): void {
  const params = agentParams.extend({ archive_id: idOf('archive') });
  app.patch(
    '/v1/agents/:agent_id/archives/attach/:archive_id',
    {
      schema: {
        ...describeRoute(
          'agents.archives.attach',
          'Attach an archive to an agent, which can then read and search it',
        ),
        params,
      },
    },
    async (request) => {
      await attachArchive(db, request.params.agent_id, request.params.archive_id);
      return null;
    },
  );
  app.patch(
    '/v1/agents/:agent_id/archives/detach/:archive_id',
    {
      schema: {
        ...describeRoute(
          'agents.archives.detach',
          'Detach an archive from an agent; the archive itself stays',
        ),
        params,
      },
    },
    async (request) => {
      await requireAgent(db, request.params.agent_id);
      await detachArchive(db, request.params.agent_id, request.params.archive_id);
      return null;
    },
  );
}

function view(context: RouteContext, archive: Archive): z.infer<typeof wireArchive> {
  return toWireArchive(archive, describeEmbedding(context, archive.embedding));
}

/** Embeds passages and stores them in one statement. Throws ArchiveNotFoundError and what the embedder throws. */
async function store(
  { db, embeddings }: RouteContext,
  archiveId: string,
  bodies: readonly z.infer<typeof archivePassage>[],
): Promise<WirePassage[]> {
  const archive = await requireArchive(db, archiveId);
  const embedder = embeddings.resolve(archive.embedding);
  const vectors = bodies.length === 0 ? [] : await embedder.embed(bodies.map(({ text }) => text));
  const passages = bodies.map((body, index) => toNewPassage(body, embedder, vectors[index]));
  const stored = await insertIntoArchive(db, archive.id, passages);
  return stored.map((passage) => toWirePassage(passage, embedder.description));
}

function toNewPassage(
  body: z.infer<typeof archivePassage>,
  embedder: Embedder,
  vector: readonly number[] | undefined,
): NewPassage {
  return {
    text: body.text,
    tags: body.tags ?? [],
    metadata: body.metadata ?? {},
    createdAt: body.created_at ?? undefined,
    embedding: vector === undefined ? undefined : { vector, model: embedder.description.handle },
  };
}
