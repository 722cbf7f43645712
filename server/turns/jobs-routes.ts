import { z } from 'zod';
import { getFile } from '../../schema/files/files.js';
import { endFile } from '../../schema/files/ingestion.js';
import { deleteJob, listJobs, requireJob } from '../../schema/files/jobs.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { pageFields, queryBoolean } from '../http/fields-wire.js';
import { toWireJob, type WireJob, wireJob } from '../files/files-wire.js';
import { idOf } from '../http/ids-wire.js';
import { createResource, listRoute } from '../http/resource.js';
import { describeRoute } from '../http/route-documentation.js';

const jobParams = z.object({ job_id: idOf('job') });
const listQuery = z.object({
  ...pageFields(idOf('job'), 100),
  source_id: idOf('source').optional(),
  active: queryBoolean.optional(),
});

/** Jobs: ingestions of uploaded files, for clients of 0.1.x. */
export function jobRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  const jobs = createResource(app, {
    ...{ path: '/v1/jobs', operations: 'jobs' },
    ...{ params: jobParams, item: wireJob },
  });
  jobs.list('List jobs, newest first', { query: listQuery, order: 'desc' }, async ({ query }, page) => {
    const filter = { sourceId: query.source_id, active: query.active };
    return (await listJobs(db, filter, page)).map((job) => toWireJob(job));
  });
  listRoute(
    app,
    {
      ...{ path: '/v1/jobs/active', operation: 'jobs.list_active' },
      summary: 'List the active jobs',
      ...{ query: listQuery.omit({ active: true }), order: 'desc', item: wireJob },
    },
    async ({ query }, page) => {
      const filter = { sourceId: query.source_id, active: true };
      return (await listJobs(db, filter, page)).map((job) => toWireJob(job));
    },
  );
  jobs.retrieve('Retrieve a job, with its progress', ({ params }) => view(context, params.job_id));
  app.patch(
    '/v1/jobs/:job_id/cancel',
    {
      schema: {
        ...describeRoute('jobs.cancel', 'Cancel a job; one that is done stays as it is'),
        params: jobParams,
        response: { 200: wireJob },
      },
    },
    async ({ params, ...request }) => {
      const job = await requireJob(db, params.job_id);
      await endFile(db, job.fileId, {
        state: 'cancelled',
        error: 'The ingestion was cancelled. Upload the file again.',
      });
      await context.ingestions.stop(job.fileId).catch((error: unknown) => {
        request.log.warn(
          { err: error },
          'an ingestion could not be told that its job was cancelled; it ends by itself',
        );
      });
      return view(context, job.id);
    },
  );
  jobs.deleteAndShow('Delete a job; its file stays', async ({ params }) =>
    toWireJob(await deleteJob(db, params.job_id)),
  );
}

async function view({ db }: RouteContext, jobId: string): Promise<WireJob> {
  const job = await requireJob(db, jobId);
  return toWireJob(job, await getFile(db, job.fileId));
}
