import { z } from 'zod';
import type { OutgoingMessage } from '../../client/types.js';
import type { ApprovalAnswer } from '../../core/turns/approvals.js';
import type { ContentPart, JsonSchemaObject, ToolSchema } from '../../core/models/model.js';
import type { TurnOptions } from '../../schema/turns/records.js';
import {
  approvalBody,
  clientSkillBody,
  clientToolBody,
  fromApprovalBody,
  toolReturnBody,
} from './approvals-wire.js';
import { content, fromContentParts, type WireContent } from './content-wire.js';
import { int32, refusedFlag } from '../http/fields-wire.js';
import { renderingFields } from './rendering-wire.js';

/** A message to an agent. */
export const messageBody = z
  .object({
    type: z.literal('message').nullish(),
    role: z.enum(['user', 'system', 'assistant']),
    content,
    otid: z.string().nullish(),
    name: z.string().nullish(),
    sender_id: z.string().nullish(),
    group_id: z.string().nullish(),
    batch_item_id: z.string().nullish(),
  })
  .meta({ id: 'MessageCreate' });

/** Not Letta's: what the messages do where the agent is at a turn. */
export const whenBusy = z.enum(['queue', 'steer', 'interrupt'], {
  error: 'must be queue (wait for the turns before), steer (enter the running turn) or interrupt (end it)',
});

const requestFields = {
  messages: z.array(z.discriminatedUnion('type', [approvalBody, toolReturnBody, messageBody])).nullish(),
  input: content.nullish(),
  max_steps: int32.min(1).nullish(),
  ...renderingFields,
  include_return_message_types: z.array(z.string()).nullish(),
  include_compaction_messages: z.boolean().nullish(),
  enable_thinking: z.union([z.string(), z.boolean()]).nullish(),
  streaming: z.boolean().nullish(),
  stream_tokens: z.boolean().nullish(),
  include_pings: z.boolean().nullish(),
  background: z.boolean().nullish(),
  return_logprobs: refusedFlag('log probabilities are not kept. Leave it out'),
  return_token_ids: refusedFlag('token IDs are not kept. Leave it out'),
  override_model: z.string().nullish(),
  override_system: z.string().nullish(),
  /** Tools that the client runs itself: their calls wait for the client's result. */
  client_tools: z.array(clientToolBody).nullish(),
  client_skills: z.array(clientSkillBody).nullish(),
  /** Not Letta's: while calls wait for an approval, queue the messages instead of refusing them. */
  queue: z.boolean().nullish(),
  when_busy: whenBusy.nullish(),
  callback_url: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
    .nullish(),
};

/** A request to an agent: messages or a plain `input`, and options of the run. */
export const sendBody = z
  .object(requestFields)
  .refine((body) => (body.messages == null) !== (body.input == null), {
    error: 'give exactly one of `messages` and `input`',
    path: ['messages'],
  })
  .refine((body) => body.messages == null || body.messages.length > 0, {
    error: 'must have at least one message',
    path: ['messages'],
  })
  .meta({ id: 'LettaRequest' });

export type SendBody = z.infer<typeof sendBody>;

/** The messages of a request. */
export function fromSendBody(body: SendBody): OutgoingMessage[] {
  if (body.messages == null) return [{ role: 'user', content: fromContent(body.input ?? '') }];
  return body.messages.flatMap((message) => (isDecision(message) ? [] : [toOutgoing(message)]));
}

/** The decisions about waiting tool calls in a request; undefined where there are none. */
export function fromApprovals(body: SendBody): readonly ApprovalAnswer[] | undefined {
  const brought = (body.messages ?? []).filter(isDecision);
  return brought.length === 0 ? undefined : brought.flatMap(fromApprovalBody);
}

type MessageIn = NonNullable<SendBody['messages']>[number];
type DecisionIn = Extract<MessageIn, { type: 'approval' | 'tool_return' }>;

function isDecision(message: MessageIn): message is DecisionIn {
  return message.type === 'approval' || message.type === 'tool_return';
}

function toOutgoing(message: Exclude<MessageIn, DecisionIn>): OutgoingMessage {
  return {
    role: message.role,
    content: fromContent(message.content),
    ...(message.name == null ? {} : { name: message.name }),
    ...(message.otid == null ? {} : { otid: message.otid }),
    ...(message.sender_id == null ? {} : { senderId: message.sender_id }),
  };
}

/** The turn's options. The fields about how it is shown are stored with it, under `wire`. */
export function toTurnOptions(
  body: SendBody,
  mode: { readonly streamTokens: boolean; readonly background: boolean },
): TurnOptions {
  const shown = Object.entries({
    use_assistant_message: body.use_assistant_message,
    assistant_message_tool_name: body.assistant_message_tool_name,
    assistant_message_tool_kwarg: body.assistant_message_tool_kwarg,
    include_return_message_types: body.include_return_message_types,
    include_compaction_messages: body.include_compaction_messages,
    client_tools: body.client_tools?.map((tool) => tool.name),
  }).filter(([, value]) => value != null);
  return {
    ...(body.max_steps == null ? {} : { maxSteps: body.max_steps }),
    streamTokens: mode.streamTokens,
    background: mode.background,
    ...(body.callback_url == null ? {} : { callbackUrl: body.callback_url }),
    ...(body.override_model == null ? {} : { overrideModel: body.override_model }),
    ...(body.override_system == null ? {} : { overrideSystem: body.override_system }),
    ...(body.client_tools == null ? {} : { clientTools: body.client_tools.map(toClientTool) }),
    ...(body.client_skills == null ? {} : { clientSkills: body.client_skills }),
    wire: Object.fromEntries(shown),
  };
}

function toClientTool({ name, description, parameters }: z.infer<typeof clientToolBody>): ToolSchema {
  return {
    name,
    description: description ?? '',
    // Parsed JSON has no undefined members, though the type of optional ones allows them.
    parameters: (parameters ?? { type: 'object', properties: {} }) as JsonSchemaObject,
  };
}

function fromContent(given: WireContent): string | readonly ContentPart[] {
  return typeof given === 'string' ? given : fromContentParts(given);
}
