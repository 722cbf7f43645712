import { z } from 'zod';
import type { Passage } from '../../schema/archives/passages.js';
import type { EmbeddingDescription } from '../../core/models/model.js';
import { refusedField, freeObject, moment, refusedFlag } from '../http/fields-wire.js';
import { toEmbeddingConfig } from '../models/model-configs-wire.js';

/** A new passage of archival memory. */
export const createPassageBody = z
  .object({ text: z.string().min(1), tags: z.array(z.string()).nullish(), created_at: moment.nullish() })
  .meta({ id: 'CreateArchivalMemory' });

/** Changes of a passage; absent fields stay as they are. Fields that clients send back as they read them are ignored. */
export const updatePassageBody = z
  .object({
    text: z.string().min(1).nullish(),
    metadata: freeObject.nullish(),
    /** The name of `metadata` in clients of 0.1.x. */
    metadata_: freeObject.nullish(),
    created_at: moment.nullish(),
    is_deleted: refusedFlag('can’t be set: delete the passage with agents.passages.delete'),
    embedding: refusedField('is not taken: the server embeds the text itself. Leave it out'),
  })
  .meta({ id: 'PassageUpdate' });

/** A passage as the API shows it. Its vector is left out: it is long and means nothing without its model. */
export const wirePassage = z
  .object({
    id: z.string(),
    text: z.string(),
    embedding: z.array(z.number()).nullable(),
    embedding_config: freeObject.nullable(),
    archive_id: z.string().nullable(),
    source_id: z.string().nullable(),
    file_id: z.string().nullable(),
    file_name: z.string().nullable(),
    metadata: freeObject,
    tags: z.array(z.string()),
    is_deleted: z.boolean(),
    organization_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
  })
  .meta({ id: 'Passage' });

export type WirePassage = z.infer<typeof wirePassage>;

/** The fields of a passage that are shown. */
export type StoredPassage = Omit<Passage, 'embeddingModel'>;

export function toWirePassage(passage: StoredPassage, embedding: EmbeddingDescription): WirePassage {
  const { file_name: fileName } = passage.metadata;
  return {
    id: passage.id,
    text: passage.text,
    embedding: null,
    embedding_config: toEmbeddingConfig(embedding),
    archive_id: passage.archiveId,
    source_id: passage.sourceId,
    file_id: passage.fileId,
    file_name: typeof fileName === 'string' ? fileName : null,
    metadata: { ...passage.metadata },
    tags: [...passage.tags],
    is_deleted: false,
    organization_id: null,
    created_at: passage.createdAt.toISOString(),
    updated_at: passage.createdAt.toISOString(),
    created_by_id: null,
    last_updated_by_id: null,
  };
}
