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

/** The version of the member `perdure` in agent files. A changed form gets another number. */
export const partVersion = 1;

const id = z.string().min(1);

const passage = z.object({
  /** Only for passages that an agent has pinned. */
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
 * The part of an agent file beyond Letta's form: everything that Letta's form has no field for, by the ids of the file.
 * It is one member at the file's top level, which Letta's own readers ignore.
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
  /** Bodies of messages that Letta's form can't hold completely, by the messages' ids. */
  messages: z.record(id, messageBodySchema).default({}),
});

export type PerdurePart = z.infer<typeof perdurePart>;
