import { z } from 'zod';
import { listAgentIdsOfSource } from '../../schema/files/agent-sources.js';
import { listAllFiles } from '../../schema/files/files.js';
import {
  countSources,
  createSource,
  deleteSource,
  listSources,
  requireSource,
  requireSourceByName,
  type Source,
  updateSource,
} from '../../schema/files/sources.js';
import { describeEmbedding } from '../agents/agent-views.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { chooseEmbedding, findEmbedding } from '../models/model-choice.js';
import { RequestRefusedError } from '../http/problems.js';
import { pageFields, queryBoolean } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import {
  createSourceBody,
  fromCreateSource,
  fromUpdateSource,
  toWireSource,
  updateSourceBody,
  wireSource,
  type WireSource,
} from './sources-wire.js';
import { createResource, listRoute } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { fileRoutes } from './files-routes.js';
import { families, type Family } from './source-families-wire.js';
import { sourceParams } from '../http/params-wire.js';

const metadataQuery = z.object({ include_detailed_per_source_metadata: queryBoolean.optional() });

/** Sources (folders): create, list, count, find, retrieve, change, delete; and their files. */
export function sourceRoutes(app: App, context: RouteContext): void {
  for (const family of families) {
    sourceRoutesOf(app, context, family);
    lookupRoutes(app, context, family);
    fileRoutes(app, context, family);
  }
}

function sourceRoutesOf(app: App, context: RouteContext, family: Family): void {
  const { db } = context;
  const sources = createResource(app, {
    ...{ path: `/v1/${family}`, operations: family },
    ...{ params: sourceParams, item: wireSource },
  });
  sources.create('Create a source (folder) for files', createSourceBody, async ({ body }) =>
    view(context, await createSource(db, fromCreateSource(body, chooseEmbedding(context, body)))),
  );
  sources.list(
    'List sources (folders), oldest first',
    { query: z.object({ ...pageFields(idOf('source'), 50), name: z.string().optional() }), order: 'asc' },
    async ({ query }, page) =>
      (await listSources(db, { name: query.name }, page)).map((source) => view(context, source)),
  );
  sources.count('Count sources (folders)', () => countSources(db));
  sources.retrieve('Retrieve a source (folder)', async ({ params }) =>
    view(context, await requireSource(db, params.source_id)),
  );
  sources.change('update', 'Change a source (folder)', updateSourceBody, async ({ params, body }) => {
    const source = await requireSource(db, params.source_id);
    const embedding = findEmbedding(context, body);
    if (embedding !== undefined && embedding !== source.embedding) throw fixedEmbedding(source);
    return view(context, await updateSource(db, source.id, fromUpdateSource(body)));
  });
  sources.delete('Delete a source (folder) with its files, for all agents that have it', ({ params }) =>
    deleteSource(db, params.source_id),
  );
  listRoute(
    app,
    {
      ...{ path: `/v1/${family}/:source_id/agents`, operation: `${family}.agents.list` },
      summary: 'List the IDs of the agents that have a source (folder)',
      params: sourceParams,
      ...{ query: z.object(pageFields(idOf('agent'), 50)), order: 'desc', item: z.string() },
    },
    async ({ params }, page) => {
      await requireSource(db, params.source_id);
      return listAgentIdsOfSource(db, params.source_id, page);
    },
  );
}

function lookupRoutes(app: App, context: RouteContext, family: Family): void {
  const { db } = context;
  app.get(
    `/v1/${family}/name/:name`,
    {
      schema: {
        ...describeRoute(
          `${family}.retrieve_by_name`,
          'Retrieve the ID of the source (folder) with this name',
        ),
        params: z.object({ name: z.string() }),
        response: { 200: z.string() },
      },
    },
    async ({ params }, reply) => {
      const { id } = await requireSourceByName(db, params.name);
      // Fastify would send a bare string as it is, not as JSON.
      return reply.type('application/json').send(JSON.stringify(id));
    },
  );
  app.get(
    `/v1/${family}/metadata`,
    {
      schema: {
        ...describeRoute(
          `${family}.metadata`,
          'Count the sources (folders) and files, and sum up their sizes',
        ),
        querystring: metadataQuery,
        response: { 200: wireStats },
      },
    },
    async ({ query }) => statsOf(context, query.include_detailed_per_source_metadata ?? false),
  );
}

function view(context: RouteContext, source: Source): WireSource {
  return toWireSource(source, describeEmbedding(context, source.embedding));
}

function fixedEmbedding(source: Source): RequestRefusedError {
  return new RequestRefusedError(
    400,
    `Source '${source.name}' keeps its embedding model ${source.embedding}, because its passages were embedded with it. Create a new source to use another model.`,
  );
}

const wireStats = z
  .object({
    total_sources: z.number(),
    total_files: z.number(),
    total_size: z.number(),
    sources: z.array(
      z.object({
        source_id: z.string(),
        source_name: z.string(),
        file_count: z.number(),
        total_size: z.number(),
        files: z.array(z.object({ file_id: z.string(), file_name: z.string(), file_size: z.number() })),
      }),
    ),
  })
  .meta({ id: 'OrganizationSourcesStats' });

async function statsOf({ db }: RouteContext, detailed: boolean): Promise<z.infer<typeof wireStats>> {
  const [sources, files] = await Promise.all([listSources(db, {}, {}), listAllFiles(db)]);
  const sizeOf = (some: typeof files): number => some.reduce((sum, file) => sum + file.size, 0);
  const perSource = sources.map((source) => {
    const own = files.filter((file) => file.sourceId === source.id);
    return {
      source_id: source.id,
      source_name: source.name,
      file_count: own.length,
      total_size: sizeOf(own),
      files: own.map((file) => ({ file_id: file.id, file_name: file.name, file_size: file.size })),
    };
  });
  return {
    total_sources: sources.length,
    total_files: files.length,
    total_size: sizeOf(files),
    sources: detailed ? perSource : [],
  };
}
