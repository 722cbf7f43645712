import { z } from 'zod';
import type { EmbeddingDescription } from '../../core/models/model.js';
import type { NewSource, Source, SourceChange } from '../../schema/files/sources.js';
import { definedFields } from '../http/defined-fields.js';
import { freeObject } from '../http/fields-wire.js';
import { embeddingConfigBody, toEmbeddingConfig } from '../models/model-configs-wire.js';

/** Default size of a passage in tokens, and the share that it repeats of the one before. */
const defaultChunkSize = 300;
const defaultOverlapShare = 0.1;

const name = z.string().trim().min(1, 'must not be empty');
const chunkSize = z.int().min(32).max(8_000);

/** A new source (folder). `embedding_chunk_overlap` is not Letta's: tokens that a passage repeats of the one before. */
export const createSourceBody = z
  .object({
    name,
    description: z.string().nullish(),
    instructions: z.string().nullish(),
    metadata: freeObject.nullish(),
    embedding: z.string().nullish(),
    embedding_chunk_size: chunkSize.nullish(),
    embedding_chunk_overlap: z.int().min(0).nullish(),
    embedding_config: embeddingConfigBody.extend({ embedding_chunk_size: chunkSize.nullish() }).nullish(),
  })
  .refine(({ embedding_chunk_overlap: overlap, ...body }) => (overlap ?? 0) <= sizeOf(body) / 2, {
    path: ['embedding_chunk_overlap'],
    error: 'must be at most half of embedding_chunk_size',
  })
  .meta({ id: 'SourceCreate' });

export type CreateSourceBody = z.infer<typeof createSourceBody>;

export const updateSourceBody = z
  .object({
    name: name.nullish(),
    description: z.string().nullish(),
    instructions: z.string().nullish(),
    metadata: freeObject.nullish(),
    embedding_config: embeddingConfigBody.nullish(),
  })
  .meta({ id: 'SourceUpdate' });

export type UpdateSourceBody = z.infer<typeof updateSourceBody>;

/** A source (folder) as the API shows it. */
export const wireSource = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    instructions: z.string().nullable(),
    metadata: freeObject,
    embedding_config: freeObject,
    vector_db_provider: z.literal('native'),
    organization_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
  })
  .meta({ id: 'Source' });

export type WireSource = z.infer<typeof wireSource>;

export function toWireSource(source: Source, embedding: EmbeddingDescription): WireSource {
  return {
    id: source.id,
    name: source.name,
    description: source.description,
    instructions: source.instructions,
    metadata: { ...source.metadata },
    embedding_config: { ...toEmbeddingConfig(embedding), embedding_chunk_size: source.chunkSize },
    vector_db_provider: 'native',
    organization_id: null,
    created_at: source.createdAt.toISOString(),
    updated_at: source.updatedAt.toISOString(),
    created_by_id: null,
    last_updated_by_id: null,
  };
}

/** The new source that a body describes. `embedding`: the handle that it resolves to. */
export function fromCreateSource(body: CreateSourceBody, embedding: string): NewSource {
  const size = sizeOf(body);
  return {
    name: body.name,
    description: body.description,
    instructions: body.instructions,
    metadata: body.metadata ?? {},
    embedding,
    chunkSize: size,
    chunkOverlap: body.embedding_chunk_overlap ?? Math.floor(size * defaultOverlapShare),
  };
}

export function fromUpdateSource(body: UpdateSourceBody): SourceChange {
  return definedFields({
    name: body.name ?? undefined,
    description: body.description,
    instructions: body.instructions,
    metadata: body.metadata ?? undefined,
  });
}

interface Sized {
  readonly embedding_chunk_size?: number | null | undefined;
  readonly embedding_config?:
    { readonly embedding_chunk_size?: number | null | undefined } | null | undefined;
}

function sizeOf(body: Sized): number {
  return body.embedding_chunk_size ?? body.embedding_config?.embedding_chunk_size ?? defaultChunkSize;
}
