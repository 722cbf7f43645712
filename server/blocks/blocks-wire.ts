import { z } from 'zod';
import { type ClientGeneration, defaultBlockLimit, limitFor } from '../../core/blocks/operations.js';
import type { Block } from '../../core/blocks/blocks.js';
import type { Attachment } from '../../schema/blocks/agent-blocks.js';
import type { BlockPatch, NewBlock } from '../../schema/blocks/blocks.js';
import { freeObject, int32, withoutNulls } from '../http/fields-wire.js';

/** Fields that are stored and returned, and mean nothing to the runtime. */
const keptFields = {
  project_id: z.string().nullish(),
  template_name: z.string().nullish(),
  name: z.string().nullish(),
  is_template: z.boolean().nullish(),
  template_id: z.string().nullish(),
  base_template_id: z.string().nullish(),
  deployment_id: z.string().nullish(),
  entity_id: z.string().nullish(),
  preserve_on_migration: z.boolean().nullish(),
  hidden: z.boolean().nullish(),
};

/** Fields that may be left out of a new block and of a change. */
const sharedFields = {
  limit: int32.min(0).nullish(),
  description: z.string().nullish(),
  read_only: z.boolean().nullish(),
  metadata: freeObject.nullish(),
  tags: z.array(z.string()).nullish(),
  ...keptFields,
};

/** A new block. */
export const createBlockBody = z
  .object({ label: z.string().min(1), value: z.string(), ...sharedFields })
  .meta({ id: 'CreateBlock' });

/** Changes of a block; absent fields stay as they are. */
export const updateBlockBody = z
  .object({ label: z.string().min(1).nullish(), value: z.string().nullish(), ...sharedFields })
  .meta({ id: 'BlockUpdate' });

/** How a block is attached; Letta's clients send no body. */
export const attachBody = z
  .object({ read_only: z.boolean().nullish(), notify: z.boolean().nullish() })
  .nullish()
  .meta({ id: 'BlockAttachment' });

/** A block as the API shows it. `limit` counts code points; `revision` is what `If-Match` takes. */
export const wireBlock = z
  .object({
    id: z.string(),
    value: z.string(),
    limit: z.number(),
    label: z.string(),
    description: z.string().nullable(),
    read_only: z.boolean(),
    metadata: freeObject,
    tags: z.array(z.string()),
    revision: z.number(),
    name: z.string().nullable(),
    template_name: z.string().nullable(),
    is_template: z.boolean(),
    template_id: z.string().nullable(),
    base_template_id: z.string().nullable(),
    deployment_id: z.string().nullable(),
    entity_id: z.string().nullable(),
    preserve_on_migration: z.boolean(),
    project_id: z.string().nullable(),
    hidden: z.boolean().nullable(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
  })
  .meta({ id: 'Block' });

export type CreateBlockBody = z.infer<typeof createBlockBody>;
export type UpdateBlockBody = z.infer<typeof updateBlockBody>;
export type WireBlock = z.infer<typeof wireBlock>;

/** A new block, with the limit that this generation of clients expects where none is given. */
export function fromCreateBlock(body: CreateBlockBody, generation: ClientGeneration): NewBlock {
  return {
    label: body.label,
    value: body.value,
    limit: limitFor(body.value, body.limit ?? undefined, defaultBlockLimit(body.label, generation)),
    description: body.description ?? undefined,
    readOnly: body.read_only ?? false,
    metadata: body.metadata ?? {},
    tags: body.tags ?? [],
    extras: keptOf(body),
  };
}

/** How a block is attached; absent fields stay as they are. */
export function fromAttachBody(body: z.infer<typeof attachBody>): Pick<Attachment, 'readOnly' | 'notify'> {
  return { readOnly: body?.read_only ?? undefined, notify: body?.notify ?? undefined };
}

/** The changes of a block's fields in a request, without its value. */
export function fromUpdateBlock(body: UpdateBlockBody): BlockPatch {
  const extras = keptOf(body);
  return {
    ...(body.label == null ? {} : { label: body.label }),
    ...(body.limit == null ? {} : { limit: body.limit }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.read_only == null ? {} : { readOnly: body.read_only }),
    ...(body.metadata == null ? {} : { metadata: body.metadata }),
    ...(body.tags == null ? {} : { tags: body.tags }),
    ...(Object.keys(extras).length === 0 ? {} : { extras }),
  };
}

export function toWireBlock(block: Block): WireBlock {
  const { data: kept = {} } = z.object(keptFields).safeParse(block.extras);
  return {
    id: block.id,
    value: block.value,
    limit: block.limit,
    label: block.label,
    description: block.description,
    read_only: block.readOnly,
    metadata: { ...block.metadata },
    tags: [...block.tags],
    revision: block.revision,
    name: kept.name ?? kept.template_name ?? null,
    template_name: kept.template_name ?? kept.name ?? null,
    is_template: kept.is_template ?? false,
    template_id: kept.template_id ?? null,
    base_template_id: kept.base_template_id ?? null,
    deployment_id: kept.deployment_id ?? null,
    entity_id: kept.entity_id ?? null,
    preserve_on_migration: kept.preserve_on_migration ?? false,
    project_id: kept.project_id ?? null,
    hidden: kept.hidden ?? null,
    created_by_id: null,
    last_updated_by_id: null,
  };
}

function keptOf(body: z.infer<z.ZodObject<typeof keptFields>>): Record<string, unknown> {
  const { template_name: templateName, name } = body;
  const kept = Object.fromEntries(
    Object.entries(body).filter(([key]) => key in keptFields && key !== 'name' && key !== 'template_name'),
  );
  // Two names of one field: `name` in older clients, `template_name` in newer ones.
  return withoutNulls({ ...kept, name: name ?? templateName });
}
