import type { Selectable } from 'kysely';
import type { JobState } from '../../core/files/files.js';
import type { Db, Tx } from '../db/database.js';
import { type Page, paged } from '../db/paging.js';
import { JobNotFoundError } from './errors.js';
import type { JobsTable } from './tables.js';

/** The work on an uploaded file, for clients. It outlives the file. */
export interface Job {
  readonly id: string;
  readonly sourceId: string;
  readonly fileId: string;
  readonly fileName: string;
  readonly state: JobState;
  /** Why it failed, as a sentence for the uploader. */
  readonly error: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly completedAt: Date | null;
}

/** Throws JobNotFoundError. */
export async function requireJob(db: Db | Tx, jobId: string): Promise<Job> {
  const row = await db.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirst();
  if (row === undefined) throw new JobNotFoundError(jobId);
  return toJob(row);
}

/** Jobs by creation, paged; with `active`, only unfinished ones. */
export async function listJobs(
  db: Db | Tx,
  filter: { readonly sourceId?: string | undefined; readonly active?: boolean | undefined },
  page: Page,
): Promise<readonly Job[]> {
  let query = db.selectFrom('jobs').selectAll();
  if (filter.sourceId !== undefined) query = query.where('source_id', '=', filter.sourceId);
  if (filter.active === true) query = query.where('state', 'in', ['created', 'running']);
  return (await paged('jobs', query, page)).map(toJob);
}

/** Deletes a job, but not its file. Throws JobNotFoundError. */
export async function deleteJob(db: Db | Tx, jobId: string): Promise<Job> {
  const row = await db.deleteFrom('jobs').where('id', '=', jobId).returningAll().executeTakeFirst();
  if (row === undefined) throw new JobNotFoundError(jobId);
  return toJob(row);
}

function toJob(row: Selectable<JobsTable>): Job {
  return {
    id: row.id,
    sourceId: row.source_id,
    fileId: row.file_id,
    fileName: row.file_name,
    state: row.state,
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
  };
}
