import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { WhenBusy } from '../../client/types.js';
import { requireAgent } from '../../schema/agents/agents.js';
import type { Turn } from '../../schema/turns/records.js';
import { requireTurn } from '../../schema/turns/turns.js';
import type { RouteContext } from '../context.js';
import type { LettaResponse } from '../turns/letta-response-wire.js';
import { toResponse } from '../turns/replies.js';
import { sendMessages } from '../turns/sending.js';
import { toFailure, toResult } from './tool-replies.js';

/** A message over MCP. */
interface Talk {
  readonly agent_id: string;
  readonly message: string;
  readonly when_busy?: WhenBusy | undefined;
  readonly idempotency_key?: string | undefined;
  readonly wait_seconds: number;
}

/**
 * Sends a message and waits for the end of its turn, for as long as the caller wants. A message whose key was sent before
 * is not sent again: the call waits for the turn that it began. Throws AgentNotFoundError and PendingApprovalError.
 */
export async function talk(context: RouteContext, asked: Talk, left: AbortSignal): Promise<CallToolResult> {
  const agent = await requireAgent(context.db, asked.agent_id);
  const key = asked.idempotency_key ?? randomUUID();
  const request = { headers: { 'idempotency-key': key }, url: '/mcp', toolCaller: null };
  const body = { input: asked.message, when_busy: asked.when_busy };
  const mode = { streamTokens: false, background: false };
  const turn = await sendMessages(context, request, agent, body, mode);
  const ended = await endOf(context, turn, { left, withinMs: asked.wait_seconds * 1_000 });
  const found = { run_id: turn.id, idempotency_key: key };
  if (ended === undefined) return stillBusy(await requireTurn(context.db, turn.id), found);
  return toOutcome(await toResponse(context, agent, ended), found);
}

/** Undefined where the turn takes longer. */
async function endOf(
  { turns }: RouteContext,
  turn: Turn,
  { left, withinMs }: { readonly left: AbortSignal; readonly withinMs: number },
): Promise<Turn | undefined> {
  const late = AbortSignal.timeout(withinMs);
  try {
    return await turns.result(turn.id, { signal: AbortSignal.any([left, late]) });
  } catch (error) {
    if (!late.aborted || left.aborted) throw error;
    return undefined;
  }
}

interface Found {
  readonly run_id: string;
  readonly idempotency_key: string;
}

function stillBusy({ state }: Turn, found: Found): CallToolResult {
  const status = state === 'created' ? 'waiting' : 'working';
  const why = status === 'waiting' ? 'The message waits: the agent is busy.' : 'The agent still works on it.';
  const next = `Call again with the same message and idempotency_key ${JSON.stringify(found.idempotency_key)} to wait for the answer. The message is not sent again.`;
  return toResult({ status, answer: '', ...found }, `${why} ${next}`);
}

function toOutcome({ messages, stop_reason: stop, error }: LettaResponse, found: Found): CallToolResult {
  const answer = messages
    .flatMap((message) => (message.message_type === 'assistant_message' ? [message.content] : []))
    .join('\n\n');
  if (error !== undefined) {
    const text = `The agent’s turn failed: ${error.message}`;
    return toFailure(text, { status: 'failed', answer, ...found });
  }
  switch (stop.stop_reason) {
    case 'cancelled':
      return toFailure('The agent’s turn was cancelled.', { status: 'cancelled', answer, ...found });
    case 'requires_approval': {
      const text = `${answer}\n\nThe agent waits until a person approves its tool calls. Nobody can do that over MCP.`;
      return toResult({ status: 'needs_approval', answer, ...found }, text.trim());
    }
    default:
      return toResult(
        { status: 'answered', answer, ...found },
        answer === '' ? 'The agent said nothing.' : answer,
      );
  }
}
