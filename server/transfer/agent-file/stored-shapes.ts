import { z } from 'zod';
import type { ApprovalDecision } from '../../../core/turns/approvals.js';
import type { ManagerConfig } from '../../../core/groups/groups.js';
import type { MessageBody } from '../../../core/threads/messages.js';
import type { ContentPart, ModelSettings } from '../../../core/models/model.js';
import type { ConversationFields } from '../../../schema/threads/conversations.js';
import { freeObject, int32 } from '../../http/fields-wire.js';
import { exactSchema } from './exact-schema.js';

/** Schemas of the runtime's own types, for what an agent file holds in the runtime's form. */

const part = exactSchema<ContentPart>()(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image'), url: z.string() }),
  ]),
);

const said = { content: z.array(part), name: z.string().exactOptional() };
const status = z.enum(['success', 'error']);
const outputs = {
  images: z.array(z.string()).exactOptional(),
  stdout: z.array(z.string()).exactOptional(),
  stderr: z.array(z.string()).exactOptional(),
};

const decision = exactSchema<ApprovalDecision>()(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('approved'), toolCallId: z.string(), reason: z.string().nullable() }),
    z.object({ kind: z.literal('denied'), toolCallId: z.string(), reason: z.string().nullable() }),
    z.object({
      kind: z.literal('returned'),
      toolCallId: z.string(),
      status,
      content: z.string(),
      ...outputs,
    }),
  ]),
);

/** The body of a message. */
export const messageBodySchema = exactSchema<MessageBody>()(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('user'), ...said }),
    z.object({ kind: z.literal('system'), ...said }),
    z.object({
      kind: z.literal('assistant'),
      text: z.string(),
      spoken: z.literal(true).exactOptional(),
      reasoning: z.string(),
      nativeReasoning: z.boolean(),
      toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
      awaited: z.array(z.string()).exactOptional(),
    }),
    z.object({
      kind: z.literal('tool'),
      toolCallId: z.string(),
      toolName: z.string(),
      status,
      content: z.string(),
      ...outputs,
    }),
    z.object({ kind: z.literal('approval'), decisions: z.array(decision) }),
    z.object({ kind: z.literal('heartbeat'), reason: z.string() }),
    z.object({ kind: z.literal('notice'), text: z.string() }),
  ]),
);

/** A model's settings. */
export const modelSettingsSchema = exactSchema<ModelSettings>()(
  z.object({
    temperature: z.number().exactOptional(),
    maxOutputTokens: z.int().exactOptional(),
    reasoningEffort: z.enum(['minimal', 'low', 'medium', 'high']).exactOptional(),
    parallelToolCalls: z.boolean().exactOptional(),
    responseFormat: freeObject.exactOptional(),
  }),
);

/** A group's settings. */
export const managerConfigSchema = exactSchema<ManagerConfig>()(
  z.object({
    frequency: int32.min(1).nullable().exactOptional(),
    terminationToken: z.string().min(1).nullable().exactOptional(),
    maxTurns: int32.min(1).nullable().exactOptional(),
    refinement: z
      .object({
        maxSteps: int32.min(1).exactOptional(),
        maxTokens: int32.min(1).exactOptional(),
        minKeptShare: z.number().min(0).max(1).exactOptional(),
        review: z.boolean().exactOptional(),
        atEviction: z.boolean().exactOptional(),
      })
      .exactOptional(),
  }),
);

/** The fields in which a conversation differs from its agent. */
export const conversationSchema = exactSchema<Partial<ConversationFields>>()(
  z.object({
    summary: z.string().nullable().exactOptional(),
    description: z.string().nullable().exactOptional(),
    hidden: z.boolean().exactOptional(),
    model: z.string().nullable().exactOptional(),
    modelSettings: modelSettingsSchema.nullable().exactOptional(),
    contextWindow: int32.min(1).nullable().exactOptional(),
  }),
);
