import { z } from 'zod';
import { pathOf } from '../../schema/files/agent-files.js';
import type { OpenFileView } from '../../schema/files/open-files.js';
import { freeObject } from '../http/fields-wire.js';

/** An open file as part of an agent's memory: its visible part, in the form of a block. */
export const wireFileBlock = z
  .object({
    id: z.string(),
    file_id: z.string(),
    source_id: z.string(),
    is_open: z.boolean(),
    last_accessed_at: z.string().nullable(),
    label: z.string(),
    value: z.string(),
    limit: z.number(),
    description: z.string().nullable(),
    read_only: z.boolean(),
    metadata: freeObject,
    tags: z.array(z.string()),
    is_template: z.boolean(),
    preserve_on_migration: z.boolean(),
    hidden: z.boolean().nullable(),
    project_id: z.string().nullable(),
    template_name: z.string().nullable(),
    template_id: z.string().nullable(),
    base_template_id: z.string().nullable(),
    deployment_id: z.string().nullable(),
    entity_id: z.string().nullable(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
  })
  .meta({ id: 'FileBlock' });

export function toWireFileBlock(file: OpenFileView): z.infer<typeof wireFileBlock> {
  return {
    // Clients expect a block's id. An agent opens a file at most once, so the file's own id will do.
    id: `block-${file.fileId.slice('file-'.length)}`,
    file_id: file.fileId,
    source_id: file.sourceId,
    is_open: true,
    last_accessed_at: file.openedAt?.toISOString() ?? null,
    label: pathOf(file),
    value: file.text,
    limit: file.characters,
    description: null,
    read_only: true,
    metadata: {},
    tags: [],
    ...absent,
  };
}

const absent = {
  is_template: false,
  preserve_on_migration: false,
  hidden: null,
  project_id: null,
  template_name: null,
  template_id: null,
  base_template_id: null,
  deployment_id: null,
  entity_id: null,
  created_by_id: null,
  last_updated_by_id: null,
};
