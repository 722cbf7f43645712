import { z } from 'zod';
import type { EmbeddingDescription } from '../../core/models/model.js';
import type { Archive } from '../../schema/archives/archives.js';
import { freeObject, moment } from '../http/fields-wire.js';
import { embeddingConfigBody, toEmbeddingConfig } from '../models/model-configs-wire.js';

/** A new archive. */
export const archiveBody = z
  .object({
    name: z.string().min(1),
    description: z.string().nullish(),
    embedding: z.string().nullish(),
    embedding_config: embeddingConfigBody.nullish(),
  })
  .meta({ id: 'ArchiveCreateRequest' });

/** Changes of an archive; absent and null fields stay as they are. */
export const archivePatch = z
  .object({ name: z.string().min(1).nullish(), description: z.string().nullish() })
  .meta({ id: 'ArchiveUpdateRequest' });

/** A new passage of an archive. */
export const archivePassage = z
  .object({
    text: z.string().min(1),
    tags: z.array(z.string()).nullish(),
    metadata: freeObject.nullish(),
    created_at: moment.nullish(),
  })
  .meta({ id: 'PassageCreateRequest' });

/** An archive as the API shows it. */
export const wireArchive = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    embedding_config: freeObject,
    vector_db_provider: z.literal('native'),
    metadata: freeObject,
    organization_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
  })
  .meta({ id: 'Archive' });

export function toWireArchive(
  archive: Archive,
  embedding: EmbeddingDescription,
): z.infer<typeof wireArchive> {
  return {
    id: archive.id,
    name: archive.name,
    description: archive.description,
    embedding_config: toEmbeddingConfig(embedding),
    vector_db_provider: 'native',
    metadata: { ...archive.metadata },
    organization_id: null,
    created_at: archive.createdAt.toISOString(),
    updated_at: archive.updatedAt.toISOString(),
    created_by_id: null,
    last_updated_by_id: null,
  };
}
