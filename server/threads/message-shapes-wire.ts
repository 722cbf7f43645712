import { z } from 'zod';
import { wireDecision } from './approvals-wire.js';
import { content } from './content-wire.js';

const common = {
  id: z.string(),
  date: z.string(),
  name: z.string().nullable(),
  otid: z.string().nullable(),
  sender_id: z.string().nullable(),
  step_id: z.string().nullable(),
  is_err: z.boolean().nullable(),
  /** Position in the run's stream, for `starting_after`. Null outside streams. */
  seq_id: z.number().nullable(),
  run_id: z.string().nullable(),
};

const toolCall = z.object({ name: z.string(), arguments: z.string(), tool_call_id: z.string() });
/** A fragment of a tool call in a stream; only the first one has the name. */
const toolCallDelta = z.object({
  name: z.string().nullable(),
  arguments: z.string().nullable(),
  tool_call_id: z.string().nullable(),
});
const toolStatus = z.enum(['success', 'error']);
const outputs = { stdout: z.array(z.string()).nullable(), stderr: z.array(z.string()).nullable() };

const systemMessage = z.object({
  ...common,
  message_type: z.literal('system_message'),
  content: z.string(),
});
const userMessage = z.object({
  ...common,
  message_type: z.literal('user_message'),
  content,
});
const reasoningMessage = z.object({
  ...common,
  message_type: z.literal('reasoning_message'),
  source: z.enum(['reasoner_model', 'non_reasoner_model']),
  reasoning: z.string(),
  signature: z.string().nullable(),
});
const toolCallMessage = z.object({
  ...common,
  message_type: z.literal('tool_call_message'),
  tool_call: z.union([toolCall, toolCallDelta]),
  tool_calls: z.array(z.union([toolCall, toolCallDelta])),
});
const approvalRequestMessage = z.object({
  ...common,
  message_type: z.literal('approval_request_message'),
  /** The first of the calls, for older clients. */
  tool_call: z.union([toolCall, toolCallDelta]),
  tool_calls: z.array(z.union([toolCall, toolCallDelta])),
});
const approvalResponseMessage = z.object({
  ...common,
  message_type: z.literal('approval_response_message'),
  approvals: z.array(wireDecision),
  approve: z.boolean().nullable(),
  approval_request_id: z.string().nullable(),
  reason: z.string().nullable(),
});
const toolReturnMessage = z.object({
  ...common,
  message_type: z.literal('tool_return_message'),
  tool_return: z.string(),
  status: toolStatus,
  tool_call_id: z.string(),
  ...outputs,
  tool_returns: z.array(
    z.object({
      type: z.literal('tool'),
      tool_return: content,
      status: toolStatus,
      tool_call_id: z.string(),
      ...outputs,
    }),
  ),
});
const assistantMessage = z.object({
  ...common,
  message_type: z.literal('assistant_message'),
  content: z.string(),
});
const eventMessage = z.object({
  ...common,
  message_type: z.literal('event_message'),
  event_type: z.literal('compaction'),
  event_data: z.record(z.string(), z.unknown()),
});

/** A message as Letta's clients read it, discriminated by `message_type`. */
export const wireMessage = z
  .discriminatedUnion('message_type', [
    systemMessage,
    userMessage,
    reasoningMessage,
    toolCallMessage,
    toolReturnMessage,
    approvalRequestMessage,
    approvalResponseMessage,
    assistantMessage,
    eventMessage,
  ])
  .meta({ id: 'LettaMessage' });

export type WireMessage = z.infer<typeof wireMessage>;
/** The fields that all message types have. */
export type WireMessageHead = { readonly [K in keyof typeof common]: z.infer<(typeof common)[K]> };
