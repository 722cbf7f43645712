import { z } from 'zod';
import type { FileState } from '../../core/files/files.js';
import type { SourceFile } from '../../schema/files/files.js';
import type { Job } from '../../schema/files/jobs.js';
import { freeObject } from '../http/fields-wire.js';

/** A file as the API shows it. */
export const wireFile = z
  .object({
    id: z.string(),
    source_id: z.string(),
    file_name: z.string(),
    original_file_name: z.string(),
    file_path: z.string().nullable(),
    file_type: z.string().nullable(),
    file_size: z.number(),
    file_creation_date: z.string().nullable(),
    file_last_modified_date: z.string().nullable(),
    processing_status: z.enum(['pending', 'parsing', 'embedding', 'completed', 'error']),
    error_message: z.string().nullable(),
    total_chunks: z.number().nullable(),
    chunks_embedded: z.number().nullable(),
    content: z.string().nullable(),
    organization_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'FileMetadata' });

export type WireFile = z.infer<typeof wireFile>;

/** A job as the API shows it. */
export const wireJob = z
  .object({
    id: z.string(),
    status: z.enum(['created', 'running', 'completed', 'failed', 'cancelled']),
    job_type: z.literal('job'),
    metadata: freeObject,
    stop_reason: z.string().nullable(),
    background: z.boolean().nullable(),
    agent_id: z.string().nullable(),
    callback_url: z.string().nullable(),
    callback_sent_at: z.string().nullable(),
    callback_status_code: z.number().nullable(),
    callback_error: z.string().nullable(),
    ttft_ns: z.number().nullable(),
    total_duration_ns: z.number().nullable(),
    user_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    completed_at: z.string().nullable(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
  })
  .meta({ id: 'Job' });

export type WireJob = z.infer<typeof wireJob>;

export function toWireFile(file: SourceFile, content: string | null = null): WireFile {
  return {
    id: file.id,
    source_id: file.sourceId,
    file_name: file.name,
    original_file_name: file.originalName,
    file_path: null,
    file_type: file.mediaType,
    file_size: file.size,
    file_creation_date: null,
    file_last_modified_date: null,
    processing_status: toProcessingStatus(file.state),
    error_message: file.error,
    total_chunks: file.chunks,
    chunks_embedded: file.chunksEmbedded,
    content,
    organization_id: null,
    created_at: file.createdAt.toISOString(),
    updated_at: file.updatedAt.toISOString(),
  };
}

/** `file`: absent where it was deleted; then the progress is left out. */
export function toWireJob(job: Job, file?: SourceFile): WireJob {
  const { createdAt, completedAt } = job;
  return {
    id: job.id,
    status: job.state,
    job_type: 'job',
    metadata: {
      type: 'embedding',
      filename: job.fileName,
      source_id: job.sourceId,
      file_id: job.fileId,
      ...(job.error === null ? {} : { error: job.error }),
      ...(file === undefined ? {} : { total_chunks: file.chunks, chunks_embedded: file.chunksEmbedded }),
    },
    stop_reason: null,
    background: null,
    agent_id: null,
    callback_url: null,
    callback_sent_at: null,
    callback_status_code: null,
    callback_error: null,
    ttft_ns: null,
    total_duration_ns: completedAt === null ? null : (completedAt.getTime() - createdAt.getTime()) * 1e6,
    user_id: null,
    created_at: createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
    created_by_id: null,
    last_updated_by_id: null,
  };
}

function toProcessingStatus(state: FileState): WireFile['processing_status'] {
  return state === 'failed' || state === 'cancelled' ? 'error' : state;
}
