import type { ApprovalDecision } from '../../core/turns/approvals.js';
import type { Message, MessageBody, ToolResultBody } from '../../core/threads/messages.js';
import type { ModelToolCall } from '../../core/models/model.js';
import { sendMessage } from '../../core/tools/messaging.js';
import { clockface } from '../../core/times.js';
import { toWireDecision } from './approvals-wire.js';
import { joinText, toWireContent, toWireReturn } from './content-wire.js';
import type { WireMessage, WireMessageHead } from './message-shapes-wire.js';
import type { Rendering } from './rendering-wire.js';

/** A message type without the fields that all types share. */
export type MessagePart = WireMessage extends infer M
  ? M extends WireMessage
    ? Omit<M, keyof WireMessageHead> & { readonly name?: string | null }
    : never
  : never;

/**
 * A stored message as the one or more messages that the API shows for it: they have one `id`, and the last two digits of
 * `otid` count them. The successful result of a call by which the agent speaks is not shown, because its words are. The
 * results of one answer's calls (`siblings`) are one message, which the first of them yields; the others yield nothing.
 */
export function toWireMessages(
  message: Message,
  rendering: Rendering,
  siblings: readonly Message[] = [message],
): WireMessage[] {
  return toParts(message, rendering, siblings)
    .map((part, index) => ({ ...messageHead(message, index), ...part }))
    .filter((shown) => rendering.types?.has(shown.message_type) ?? true);
}

/** The messages that a turn produced: answers and results, without what was said to the agent. `among`: see `siblingResults`. */
export function toReplyMessages(
  messages: readonly Message[],
  rendering: Rendering,
  among = messages,
): WireMessage[] {
  return messages
    .filter(({ body, stepId }) => stepId !== null && (body.kind === 'assistant' || body.kind === 'tool'))
    .flatMap((message) => toWireMessages(message, rendering, siblingResults(message, among)));
}

/** The results that are shown as one message with this one: those of the same answer's calls, in the same turn. */
export function siblingResults(message: Message, among: readonly Message[]): readonly Message[] {
  if (message.body.kind !== 'tool' || message.stepId === null) return [message];
  return among.filter(
    ({ body, stepId, turnId }) =>
      body.kind === 'tool' && stepId === message.stepId && turnId === message.turnId,
  );
}

/** The fields that all parts of a stored message share, apart from the count in `otid`. */
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

/** An otid derived from the message's id and the part's position, so that it is the same in every list and stream. */
function countedOtid(messageId: string, index: number): string {
  const uuid = messageId.slice(messageId.indexOf('-') + 1);
  return `${uuid.slice(0, -2)}${(index & 0xff).toString(16).padStart(2, '0')}`;
}

/** The words that a call says; undefined where the tool does not speak or its arguments can't be read. */
function spokenWords(call: ModelToolCall, speaking: Rendering['speaking']): string | undefined {
  const argument = speaking.get(call.name);
  if (argument === undefined) return undefined;
  const words = parseObject(call.arguments)[argument];
  return typeof words === 'string' ? words : undefined;
}

/** Calls as one message; calls that wait for a person or the client are an approval request. Older clients read `tool_call`, the first of them. */
function callParts(
  type: 'tool_call_message' | 'approval_request_message',
  calls: readonly ModelToolCall[],
): MessagePart[] {
  const shown = calls.map((call) => ({ name: call.name, arguments: call.arguments, tool_call_id: call.id }));
  const [first] = shown;
  return first === undefined ? [] : [{ message_type: type, tool_call: first, tool_calls: shown }];
}

/** Decisions about calls. Older clients read the fields of the first one. */
function responsePart(decisions: readonly ApprovalDecision[]): MessagePart {
  const approvals = decisions.map(toWireDecision);
  const [first] = approvals;
  const isWord = first?.type === 'approval';
  return {
    message_type: 'approval_response_message',
    approvals,
    approve: isWord ? first.approve : null,
    approval_request_id: isWord ? first.tool_call_id : null,
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

/** What a tool said to the user. A tool other than `send_message` is named, so that a client can tell how it was said. */
export function spokenPart(words: string, tool: string): MessagePart {
  return tool === sendMessage.name ? assistantPart(words) : { ...assistantPart(words), name: tool };
}

/** Plain text of an answer with tool calls: words to the user in a native loop, reasoning where only tools speak. */
export function textPart(text: string, style: Rendering['style']): MessagePart {
  return style === 'native' ? assistantPart(text) : reasoningPart(text, false);
}

function toParts(message: Message, rendering: Rendering, siblings: readonly Message[]): MessagePart[] {
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
      return resultParts(message, rendering, siblings);
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
    ...doneParts(
      body.toolCalls.filter((call) => !awaited.has(call.id)),
      rendering,
    ),
    ...callParts(
      'approval_request_message',
      body.toolCalls.filter((call) => awaited.has(call.id)),
    ),
  ];
}

/** Calls that don't wait: calls that speak are shown as words, and the calls between them as one message. */
function doneParts(calls: readonly ModelToolCall[], rendering: Rendering): MessagePart[] {
  const said = calls.findIndex((call) => spokenWords(call, rendering.speaking) !== undefined);
  const call = calls[said];
  const words = call === undefined ? undefined : spokenWords(call, rendering.speaking);
  if (call === undefined || words === undefined) return callParts('tool_call_message', calls);
  return [
    ...callParts('tool_call_message', calls.slice(0, said)),
    spokenPart(words, call.name),
    ...doneParts(calls.slice(said + 1), rendering),
  ];
}

function resultParts(message: Message, rendering: Rendering, siblings: readonly Message[]): MessagePart[] {
  const shown = siblings.flatMap(({ id, body }) =>
    body.kind === 'tool' && isShown(body, rendering) ? [{ id, body }] : [],
  );
  const [first] = shown;
  if (first?.id !== message.id) return [];
  return [
    {
      message_type: 'tool_return_message',
      name: first.body.toolName,
      // Older clients read only the text, here.
      tool_return: first.body.content,
      ...toReturn(first.body),
      tool_returns: shown.map(({ body }) => ({
        type: 'tool',
        tool_return: toWireReturn(body),
        ...toReturn(body),
      })),
    },
  ];
}

function isShown({ status, toolName }: ToolResultBody, rendering: Rendering): boolean {
  return status !== 'success' || !rendering.speaking.has(toolName);
}

function toReturn({ status, toolCallId, stdout, stderr }: ToolResultBody) {
  return {
    status,
    tool_call_id: toolCallId,
    stdout: stdout === undefined ? null : [...stdout],
    stderr: stderr === undefined ? null : [...stderr],
  };
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}
