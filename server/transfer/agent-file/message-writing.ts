import { isDeepStrictEqual } from 'node:util';
import type { LoopStyle } from '../../../core/agents/agents.js';
import type { ApprovalDecision } from '../../../core/turns/approvals.js';
import type { TransferredMessage } from '../../../core/transfer/transfer.js';
import type { MessageBody } from '../../../core/threads/messages.js';
import type { ContentPart } from '../../../core/turns/model.js';
import { toImageSource, toWireReturn } from '../../threads/content-wire.js';
import { fileMessage, fromFileMessages } from './message-reading.js';

/** A message as an agent file holds it. */
export type WrittenMessage = Readonly<Record<string, unknown>>;

/** A message in Letta's form, with the file's own ids of it, its agent and its sender. */
export function toFileMessage(
  message: TransferredMessage,
  ids: { readonly id: string; readonly agentId: string; readonly senderId: string | null },
): WrittenMessage {
  return {
    type: 'message',
    id: ids.id,
    role: 'user',
    content: [],
    name: null,
    otid: message.otid,
    sender_id: ids.senderId,
    batch_item_id: null,
    group_id: null,
    model: null,
    agent_id: ids.agentId,
    tool_calls: null,
    tool_call_id: null,
    tool_returns: [],
    created_at: message.createdAt.toISOString(),
    approve: null,
    approval_request_id: null,
    denial_reason: null,
    approvals: [],
    ...bodyFields(message.body),
  };
}

/** Whether Letta's form holds all of a message; if not, the file also holds its body in the runtime's form. */
export function isSaidWhole(body: MessageBody, written: WrittenMessage, style: LoopStyle): boolean {
  const [read] = fromFileMessages([fileMessage.parse(written)], { style, now: new Date(0) });
  return read?.length === 1 && isDeepStrictEqual(read[0]?.body, body);
}

function bodyFields(body: MessageBody): WrittenMessage {
  switch (body.kind) {
    case 'user':
    case 'system':
      return { role: body.kind, content: body.content.map(toPart), name: body.name ?? null };
    case 'heartbeat':
      return { content: [packed({ type: 'heartbeat', reason: body.reason })] };
    case 'notice':
      return { content: [packed({ type: 'system_alert', message: body.text })] };
    case 'approval':
      return { role: 'approval', approvals: body.decisions.map(toFileDecision) };
    case 'tool': {
      const { toolCallId: id, toolName: name, status, stdout = null, stderr = null } = body;
      const returned = toWireReturn(body);
      return {
        role: 'tool',
        name,
        tool_call_id: id,
        content: typeof returned === 'string' ? [{ type: 'text', text: returned }] : returned,
        tool_returns: [{ tool_call_id: id, status, stdout, stderr, func_response: returned }],
      };
    }
    case 'assistant':
      return answerFields(body);
  }
}

function answerFields(body: Extract<MessageBody, { kind: 'assistant' }>): WrittenMessage {
  const { reasoning, nativeReasoning: isNative, text, toolCalls } = body;
  return {
    role: 'assistant',
    content: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning', is_native: isNative, reasoning, signature: null }]),
      ...(text === '' ? [] : [{ type: 'text', text }]),
    ],
    tool_calls:
      toolCalls.length === 0
        ? null
        : toolCalls.map(({ id, name, arguments: given }) => ({
            id,
            type: 'function',
            function: { name, arguments: given },
          })),
  };
}

function toFileDecision(decision: ApprovalDecision): WrittenMessage {
  const { toolCallId: id } = decision;
  if (decision.kind !== 'returned') {
    return {
      type: 'approval',
      tool_call_id: id,
      approve: decision.kind === 'approved',
      reason: decision.reason,
    };
  }
  const { status, stdout = null, stderr = null } = decision;
  return { type: 'tool', tool_call_id: id, status, tool_return: toWireReturn(decision), stdout, stderr };
}

function toPart(part: ContentPart): WrittenMessage {
  return part.type === 'text' ? { ...part } : { type: 'image', source: toImageSource(part.url) };
}

function packed(value: object): WrittenMessage {
  return { type: 'text', text: JSON.stringify(value) };
}
