import { z } from 'zod';
import type { Conversation, ConversationFields } from '../../schema/threads/conversations.js';
import { freeObject, int32 } from '../http/fields-wire.js';
import { idOf } from '../http/ids-wire.js';
import { fromModelSettings, modelSettingsBody } from '../models/model-configs-wire.js';

/** A conversation as the API shows it. `summary` is set by users. */
export const wireConversation = z
  .object({
    id: z.string(),
    agent_id: z.string(),
    summary: z.string().nullable(),
    description: z.string().nullable(),
    hidden: z.boolean(),
    archived: z.boolean(),
    archived_at: z.string().nullable(),
    in_context_message_ids: z.array(z.string()),
    isolated_block_ids: z.array(z.string()),
    model: z.string().nullable(),
    model_settings: freeObject.nullable(),
    context_window_limit: z.number().nullable(),
    last_message_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
  })
  .meta({ id: 'Conversation' });

export type WireConversation = z.infer<typeof wireConversation>;

const shared = {
  summary: z.string().nullish(),
  description: z.string().nullish(),
  model: z.string().nullish(),
  model_settings: modelSettingsBody.nullish(),
  context_window_limit: int32.min(1).nullish(),
};

export const createConversationBody = z
  .object({
    ...shared,
    hidden: z.boolean().nullish(),
    isolated_block_labels: z
      .array(z.string())
      .max(0, { error: 'is not supported: an agent’s conversations share its blocks. Leave it out' })
      .nullish(),
  })
  .nullish();

/** Changes of a conversation; absent fields stay as they are, null resets a field to the agent's. */
export const updateConversationBody = z.object({ ...shared, archived: z.boolean().nullish() });

type Fields = Partial<z.infer<typeof updateConversationBody>> & {
  readonly hidden?: boolean | null | undefined;
};

/** The fields that a request sets. Callers check with `findModel` that the model is known. */
export function fromConversationBody(body: Fields): Partial<ConversationFields> {
  const {
    summary,
    description,
    model,
    hidden,
    model_settings: settings,
    context_window_limit: window,
  } = body;
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    ...(model === undefined ? {} : { model }),
    ...(hidden == null ? {} : { hidden }),
    ...(window === undefined ? {} : { contextWindow: window }),
    ...(settings === undefined
      ? {}
      : { modelSettings: settings === null ? null : fromModelSettings({ settings }) }),
  };
}

/** `default` or an agent's id stands for the agent's default thread, as in Letta's agent-direct mode. */
export const threadParams = z.object({
  conversation_id: z.union([idOf('conv'), idOf('agent'), z.literal('default')]),
});

export const conversationParams = z.object({ conversation_id: idOf('conv') });

export function toWireConversation(
  conversation: Conversation,
  view: { readonly messageIds: readonly string[]; readonly modelSettings: Record<string, unknown> | null },
): WireConversation {
  const { id, agentId, summary, description, hidden, model, contextWindow, archivedAt, lastMessageAt } =
    conversation;
  return {
    id,
    agent_id: agentId,
    summary,
    description,
    hidden,
    archived: archivedAt !== null,
    archived_at: archivedAt?.toISOString() ?? null,
    in_context_message_ids: [...view.messageIds],
    isolated_block_ids: [],
    model,
    model_settings: view.modelSettings,
    context_window_limit: contextWindow,
    last_message_at: lastMessageAt?.toISOString() ?? null,
    created_at: conversation.createdAt.toISOString(),
    updated_at: conversation.updatedAt.toISOString(),
    created_by_id: null,
    last_updated_by_id: null,
  };
}
