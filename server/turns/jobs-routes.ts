import { z } from 'zod';
import { getFile } from '../../schema/files/files.js';
import { endFile } from '../../schema/files/ingestion.js';
import { deleteJob, listJobs, requireJob } from '../../schema/files/jobs.js';
import type { RouteContext } from '../context.js';
import type { App } from '../deps.js';
import { pageFields, queryBoolean, toPage } from '../http/fields-wire.js';
import { toWireJob, type WireJob, wireJob } from '../files/files-wire.js';
import { idOf } from '../http/ids-wire.js';
import { describeRoute } from '../http/documentation-routes.js';

const jobParams = z.object({ job_id: idOf('job') });
const listQuery = z.object({
  ...pageFields(idOf('job'), 100),
  source_id: idOf('source').optional(),
  active: queryBoolean.optional(),
});

/** Jobs: the work on uploaded files, for clients of 0.1.x. */
export function jobRoutes(app: App, context: RouteContext): void {
  const { db } = context;
  app.get(
    '/v1/jobs',
    {
      schema: {
        ...describeRoute('jobs.list', 'List jobs, newest first'),
        querystring: listQuery,
        response: { 200: z.array(wireJob) },
      },
    },
    async ({ query }) => {
      const filter = { sourceId: query.source_id, active: query.active };
      return (await listJobs(db, filter, toPage(query, 'desc'))).map((job) => toWireJob(job));
    },
  );
  app.get(
    '/v1/jobs/active',
    {
      schema: {
        ...describeRoute('jobs.list_active', 'List the jobs that are not done'),
        querystring: listQuery.omit({ active: true }),
        response: { 200: z.array(wireJob) },
      },
    },
    async ({ query }) => {
      const filter = { sourceId: query.source_id, active: true };
      return (await listJobs(db, filter, toPage(query, 'desc'))).map((job) => toWireJob(job));
    },
  );
  app.get(
    '/v1/jobs/:job_id',
    {
      schema: {
        ...describeRoute('jobs.retrieve', 'Retrieve a job, with its progress'),
        params: jobParams,
        response: { 200: wireJob },
      },
    },
    ({ params }) => view(context, params.job_id),
  );
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
          'nobody could be told that a job was cancelled; its work ends by itself',
        );
      });
      return view(context, job.id);
    },
  );
  app.delete(
    '/v1/jobs/:job_id',
    {
      schema: {
        ...describeRoute('jobs.delete', 'Forget a job; its file stays'),
        params: jobParams,
        response: { 200: wireJob },
      },
    },
    async ({ params }) => toWireJob(await deleteJob(db, params.job_id)),
  );
}

async function view({ db }: RouteContext, jobId: string): Promise<WireJob> {
  const job = await requireJob(db, jobId);
  return toWireJob(job, await getFile(db, job.fileId));
}
