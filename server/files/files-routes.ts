import { z } from 'zod';
import { addFile, deleteFile, fileText, listFiles, requireFile } from '../../schema/files/files.js';
import { requireJob } from '../../schema/files/jobs.js';
import { requireSource } from '../../schema/files/sources.js';
import { listSourcePassages } from '../../schema/files/source-passages.js';
import { describeEmbedding } from '../agents/agent-views.js';
import { callerOf, type RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { receiveUpload, type Upload } from '../http/uploads.js';
import { uploadsAreJobs } from '../http/client-generation-wire.js';
import { pageFields, queryBoolean } from '../http/fields-wire.js';
import { toWireFile, toWireJob, wireFile, wireJob } from './files-wire.js';
import { idOf } from '../http/ids-wire.js';
import { toWirePassage, wirePassage } from '../archives/passages-wire.js';
import { listRoute } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';
import { type Family } from './source-families-wire.js';
import { sourceParams } from '../http/params-wire.js';

const defaultFileLimitMb = 50;

const fileParams = sourceParams.extend({ file_id: idOf('file') });

const listQuery = z.object({ ...pageFields(idOf('file'), 100), include_content: queryBoolean.optional() });

const uploadQuery = z.object({
  duplicate_handling: z.enum(['skip', 'error', 'suffix', 'replace']).default('suffix'),
  name: z.string().trim().min(1).optional(),
});

/** The answer to an upload: a file, or for older clients a job with the file's fields. */
const wireUploaded = z.union([wireFile, wireJob.extend({ ...wireFile.shape, id: z.string() })]);

/** The files of a source (folder). */
export function fileRoutes(app: App, context: RouteContext, family: Family): void {
  uploadRoute(app, context, family);
  const { db } = context;
  listRoute(
    app,
    {
      ...{ path: `/v1/${family}/:source_id/files`, operation: `${family}.files.list` },
      summary: 'List the files of a source (folder), newest first',
      params: sourceParams,
      ...{ query: listQuery, order: 'desc', item: wireFile },
    },
    async ({ params, query }, page) => {
      await requireSource(db, params.source_id);
      const files = await listFiles(db, params.source_id, page);
      if (query.include_content !== true) return files.map((file) => toWireFile(file));
      return Promise.all(files.map(async (file) => toWireFile(file, await fileText(db, file.id))));
    },
  );
  app.get(
    `/v1/${family}/:source_id/files/:file_id`,
    {
      schema: {
        ...describeRoute(
          `${family}.files.retrieve`,
          'Retrieve a file; with its text if `include_content` is set',
        ),
        params: fileParams,
        querystring: z.object({ include_content: queryBoolean.optional() }),
        response: { 200: wireFile },
      },
    },
    async ({ params, query }) => {
      const file = await requireFile(db, params.source_id, params.file_id);
      return toWireFile(file, query.include_content === true ? await fileText(db, file.id) : null);
    },
  );
  app.delete(
    `/v1/${family}/:source_id/:file_id`,
    {
      schema: {
        ...describeRoute(`${family}.files.delete`, 'Delete a file and its passages', { 204: 'Deleted.' }),
        params: fileParams,
      },
    },
    async ({ params, ...request }, reply) => {
      await deleteFile(db, params.source_id, params.file_id);
      await context.ingestions.stop(params.file_id).catch((error: unknown) => {
        request.log.warn(
          { err: error },
          'an ingestion could not be told that its file was deleted; it ends by itself',
        );
      });
      return reply.code(204).send();
    },
  );
  listRoute(
    app,
    {
      ...{ path: `/v1/${family}/:source_id/passages`, operation: `${family}.passages.list` },
      summary: 'List the passages of a source (folder), in the order of its files',
      params: sourceParams,
      ...{ query: z.object(pageFields(idOf('passage'), 100)), order: 'asc', item: wirePassage },
    },
    async ({ params }, page) => {
      const source = await requireSource(db, params.source_id);
      const embedding = describeEmbedding(context, source.embedding);
      const passages = await listSourcePassages(db, source.id, page);
      return passages.map((passage) => toWirePassage(passage, embedding));
    },
  );
}

function uploadRoute(app: App, context: RouteContext, family: Family): void {
  const { db, settings } = context;
  app.post(
    `/v1/${family}/:source_id/upload`,
    {
      schema: {
        ...describeRoute(
          `${family}.files.upload`,
          'Upload a file (multipart, part `file`); its ingestion is a job',
        ),
        consumes: ['multipart/form-data'],
        params: sourceParams,
        querystring: uploadQuery,
        response: { 200: wireUploaded },
      },
    },
    async (request) => {
      const { params, query } = request;
      const source = await requireSource(db, params.source_id);
      const upload = await receiveUpload(request, settings.fileLimitMb ?? defaultFileLimitMb);
      const { file, added } = await store(context, upload, {
        sourceId: source.id,
        name: query.name,
        duplicates: query.duplicate_handling,
      }).finally(upload.discard);
      if (added) {
        await context.ingestions.start(file.id).catch((error: unknown) => {
          request.log.warn({ err: error }, 'an ingestion could not be started; the sweep will start it');
        });
      }
      const { id, ...fields } = toWireFile(file);
      if (!uploadsAreJobs(callerOf(request), family)) return { id, ...fields };
      return { ...fields, ...toWireJob(await requireJob(db, file.jobId), file) };
    },
  );
}

function store(
  { db }: RouteContext,
  upload: Upload,
  to: {
    sourceId: string;
    name: string | undefined;
    duplicates: z.infer<typeof uploadQuery>['duplicate_handling'];
  },
) {
  return addFile(db, {
    sourceId: to.sourceId,
    name: to.name ?? (upload.name === '' ? 'file' : upload.name),
    mediaType: upload.mediaType,
    size: upload.size,
    pieces: upload.pieces(),
    duplicates: to.duplicates,
  });
}
