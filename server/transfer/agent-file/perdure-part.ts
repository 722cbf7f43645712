import { z } from 'zod';
import { keptAgentExtras } from '../../agents/agent-requests-wire.js';
import { exactMoment, freeObject, int32, moment } from '../../http/fields-wire.js';
import { keptGroupExtras } from '../../groups/groups-wire.js';
import { mostEntries } from './entry-limit.js';
import {
  messageBodySchema,
  conversationSchema,
  managerConfigSchema,
  modelSettingsSchema,
} from './stored-shapes.js';
import { fileMessage } from './message-reading.js';
import { fileVector } from './vectors.js';

/** Of what `perdure` says in an agent file. Another form gets another number. */
export const partVersion = 1;

const id = z.string().min(1);

const passage = z.object({
  /** Of those that an agent has pinned. */
  id: id.nullable().default(null),
  text: z.string(),
  tags: z.array(z.string()).default([]),
  metadata: freeObject.default({}),
  created_at: exactMoment,
  embedding: z
    .object({ model: z.string().min(1), vector: fileVector })
    .nullable()
    .default(null),
});

const threadFields = {
  extras: conversationSchema.default({}),
  created_at: moment.nullable().default(null),
  archived_at: moment.nullable().default(null),
  summary_block_id: id.nullable().default(null),
};

/**
 * What an agent file says beyond Letta's form: all that its models have no field for, under the ids of the file.
 * Letta's own readers pass over it, because it is one member of the file as a whole.
 */
export const perdurePart = z.object({
  version: z.literal(partVersion),
  agents: z
    .record(
      id,
      z.object({
        context_window: int32.min(1).nullable().default(null),
        model_settings: modelSettingsSchema.optional(),
        extras: keptAgentExtras.default({}),
        attachments: z
          .record(id, z.object({ read_only: z.boolean().default(false), notify: z.boolean().default(false) }))
          .default({}),
        archives: z.array(z.object({ id, is_owner: z.boolean() })).default([]),
        pins: z.array(id).default([]),
        thread: z.object(threadFields).optional(),
        conversations: z
          .array(
            z.object({
              ...threadFields,
              messages: z.array(fileMessage).default([]),
              in_context_message_ids: z.array(id).default([]),
            }),
          )
          .default([]),
      }),
    )
    .default({}),
  tools: z.record(id, z.object({ client_generation: z.enum(['0.1', '1']) })).default({}),
  archives: z
    .array(
      z.object({
        id,
        name: z.string(),
        description: z.string().nullable().default(null),
        embedding: z.string().min(1),
        metadata: freeObject.default({}),
        passages: z.array(passage).default([]),
      }),
    )
    .check(mostEntries)
    .default([]),
  sources: z.record(id, z.object({ embedding: z.string().min(1), chunk_overlap: int32.min(0) })).default({}),
  /** Passages of files. */
  files: z.record(id, z.object({ passages: z.array(passage).default([]) })).default({}),
  groups: z
    .record(
      id,
      z.object({
        manager_config: managerConfigSchema,
        paused: z.boolean().default(false),
        extras: keptGroupExtras.default({}),
      }),
    )
    .default({}),
  /** Bodies of messages that Letta's form can't say whole, by the messages' ids. */
  messages: z.record(id, messageBodySchema).default({}),
});

export type PerdurePart = z.infer<typeof perdurePart>;
