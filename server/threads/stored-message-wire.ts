import type { ApprovalDecision } from '../../core/turns/approvals.js';
import type { TransferredMessage } from '../../core/transfer/transfer.js';
import type { MessageBody } from '../../core/threads/messages.js';
import type { ContentPart } from '../../core/models/model.js';
import { toImageSource, toWireReturn } from './content-wire.js';

/** A message as Letta's server stores it: agent files and the overview of a context show this form. */
export type StoredMessage = Readonly<Record<string, unknown>>;

/** A message in that form. The ids are those of the document: an agent file has its own. */
export function toStoredMessage(
  message: TransferredMessage,
  ids: { readonly id: string; readonly agentId: string; readonly senderId: string | null },
): StoredMessage {
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

function bodyFields(body: MessageBody): StoredMessage {
  switch (body.kind) {
    case 'user':
    case 'system':
      return { role: body.kind, content: body.content.map(toPart), name: body.name ?? null };
    case 'heartbeat':
      return { content: [packed({ type: 'heartbeat', reason: body.reason })] };
    case 'notice':
      return { content: [packed({ type: 'system_alert', message: body.text })] };
    case 'approval':
      return { role: 'approval', approvals: body.decisions.map(toStoredDecision) };
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

function answerFields(body: Extract<MessageBody, { kind: 'assistant' }>): StoredMessage {
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

function toStoredDecision(decision: ApprovalDecision): StoredMessage {
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

function toPart(part: ContentPart): StoredMessage {
  return part.type === 'text' ? { ...part } : { type: 'image', source: toImageSource(part.url) };
}

function packed(value: object): StoredMessage {
  return { type: 'text', text: JSON.stringify(value) };
}
