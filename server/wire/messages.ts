import type { ApprovalDecision } from '../../core/approvals.js';
import type { Message, MessageBody, ToolResultBody } from '../../core/messages.js';
import type { ContentPart, ModelToolCall } from '../../core/model.js';
import { sendMessage } from '../../core/tools/messaging.js';
import { clockface } from '../../core/times.js';
import { toWireDecision } from './approvals.js';
import type { WireContent, WireMessage, WireMessageHead } from './message-shapes.js';
import type { Rendering } from './rendering.js';

/** A message type with the fields that are its own. */
export type MessagePart = WireMessage extends infer M
  ? M extends WireMessage
    ? Omit<M, keyof WireMessageHead> & { readonly name?: string | null }
    : never
  : never;

/**
 * One stored message as the one or more messages that the API shows for it: same `id`, and an `otid` whose last two
 * digits count them. A successful result of the call by which the agent speaks is not shown: the words are.
 */
export function toWireMessages(message: Message, rendering: Rendering): WireMessage[] {
  return toParts(message, rendering)
    .map((part, index) => ({ ...messageHead(message, index), ...part }))
    .filter((shown) => rendering.types?.has(shown.message_type) ?? true);
}

/** What a turn produced, without what was said to it or what the runtime told the agent. */
export function toReplyMessages(messages: readonly Message[], rendering: Rendering): WireMessage[] {
  return messages
    .filter(({ body, stepId }) => stepId !== null && (body.kind === 'assistant' || body.kind === 'tool'))
    .flatMap((message) => toWireMessages(message, rendering));
}

/** The fields that all messages of one stored message share but for the count in `otid`. */
export function messageHead(
  message: Pick<Message, 'id' | 'createdAt' | 'otid' | 'senderId' | 'stepId' | 'turnId'>,
  index: number,
): WireMessageHead {
  return {
    id: message.id,
    date: message.createdAt.toISOString(),
    name: null,
    otid: index === 0 && message.otid !== null ? message.otid : countedOtid(message.id, index),
    sender_id: message.senderId,
    step_id: message.stepId,
    is_err: null,
    seq_id: null,
    run_id: message.turnId,
  };
}

/** An otid that follows from the message's id and the place of the part: the same in every list and stream. */
function countedOtid(messageId: string, index: number): string {
  const uuid = messageId.slice(messageId.indexOf('-') + 1);
  return `${uuid.slice(0, -2)}${(index & 0xff).toString(16).padStart(2, '0')}`;
}

/** A call as the agent's words: undefined where it is another call, or its arguments can't be read. */
function spokenWords(call: ModelToolCall, speaking: Rendering['speaking']): string | undefined {
  const argument = speaking.get(call.name);
  if (argument === undefined) return undefined;
  const words = parseObject(call.arguments)[argument];
  return typeof words === 'string' ? words : undefined;
}

function callPart(call: ModelToolCall): MessagePart {
  const shown = { name: call.name, arguments: call.arguments, tool_call_id: call.id };
  return { message_type: 'tool_call_message', tool_call: shown, tool_calls: [shown] };
}

/** Calls that wait for a person or the client, as one request. */
function requestParts(calls: readonly ModelToolCall[]): MessagePart[] {
  const shown = calls.map((call) => ({ name: call.name, arguments: call.arguments, tool_call_id: call.id }));
  const [first] = shown;
  if (first === undefined) return [];
  return [{ message_type: 'approval_request_message', tool_call: first, tool_calls: shown }];
}

/** What was decided; where it was one word about all calls, older clients read that. */
function responsePart(decisions: readonly ApprovalDecision[]): MessagePart {
  const approvals = decisions.map(toWireDecision);
  const [first] = approvals;
  const isWord = first?.type === 'approval';
  return {
    message_type: 'approval_response_message',
    approvals,
    approve: isWord ? first.approve : null,
    approval_request_id: null,
    reason: isWord ? first.reason : null,
  };
}

export function reasoningPart(reasoning: string, isNative: boolean): MessagePart {
  return {
    message_type: 'reasoning_message',
    reasoning,
    source: isNative ? 'reasoner_model' : 'non_reasoner_model',
    signature: null,
  };
}

function assistantPart(content: string): MessagePart {
  return { message_type: 'assistant_message', content };
}

/** What was said by a tool; by another one than the usual, with its name, so that a client can tell how it was said. */
export function spokenPart(words: string, tool: string): MessagePart {
  return tool === sendMessage.name ? assistantPart(words) : { ...assistantPart(words), name: tool };
}

/** What plain text beside tool calls is: words to the user in a native loop, thoughts where only tools speak. */
export function textPart(text: string, style: Rendering['style']): MessagePart {
  return style === 'native' ? assistantPart(text) : reasoningPart(text, false);
}

function toParts(message: Message, rendering: Rendering): MessagePart[] {
  const { body } = message;
  switch (body.kind) {
    case 'user':
      return [
        { message_type: 'user_message', name: body.name ?? null, content: toWireContent(body.content) },
      ];
    case 'system':
      return [{ message_type: 'system_message', name: body.name ?? null, content: joinText(body.content) }];
    case 'assistant':
      return answerParts(body, rendering);
    case 'tool':
      return resultParts(body, rendering);
    case 'approval':
      return [responsePart(body.decisions)];
    case 'heartbeat': {
      const time = clockface(rendering.timezone).spoken(message.createdAt);
      const content = JSON.stringify({ type: 'heartbeat', reason: body.reason, time });
      return [{ message_type: 'user_message', content }];
    }
    case 'notice':
      return [{ message_type: 'system_message', content: body.text }];
  }
}

function answerParts(body: Extract<MessageBody, { kind: 'assistant' }>, rendering: Rendering): MessagePart[] {
  const awaited = new Set(body.awaited);
  return [
    ...(body.reasoning === '' ? [] : [reasoningPart(body.reasoning, body.nativeReasoning)]),
    ...(body.text === '' ? [] : [textPart(body.text, body.spoken === true ? 'native' : rendering.style)]),
    ...body.toolCalls.flatMap((call) => {
      if (awaited.has(call.id)) return [];
      const words = spokenWords(call, rendering.speaking);
      return [words === undefined ? callPart(call) : spokenPart(words, call.name)];
    }),
    ...requestParts(body.toolCalls.filter((call) => awaited.has(call.id))),
  ];
}

function resultParts(body: ToolResultBody, rendering: Rendering): MessagePart[] {
  if (body.status === 'success' && rendering.speaking.has(body.toolName)) return [];
  const shown = {
    tool_return: body.content,
    status: body.status,
    tool_call_id: body.toolCallId,
    stdout: body.stdout === undefined ? null : [...body.stdout],
    stderr: body.stderr === undefined ? null : [...body.stderr],
  };
  return [
    {
      message_type: 'tool_return_message',
      name: body.toolName,
      ...shown,
      tool_returns: [{ type: 'tool', ...shown }],
    },
  ];
}

function toWireContent(parts: readonly ContentPart[]): WireContent {
  if (parts.every((part) => part.type === 'text')) return joinText(parts);
  return parts.map((part) =>
    part.type === 'text' ? part : { type: 'image' as const, source: toImageSource(part.url) },
  );
}

export function toImageSource(
  url: string,
): { type: 'url'; url: string } | { type: 'base64'; media_type: string; data: string } {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  const [, mediaType, data] = inline ?? [];
  if (mediaType === undefined || data === undefined) return { type: 'url', url };
  return { type: 'base64', media_type: mediaType, data };
}

function joinText(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}
