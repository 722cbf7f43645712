import type { FastifyRequest } from 'fastify';
import type { WhenBusy } from '../../client/types.js';
import type { Agent } from '../../core/agents/agents.js';
import type { Turn, TurnOptions } from '../../schema/turns/records.js';
import type { Db } from '../../schema/db/database.js';
import type { ToolCaller } from '../../schema/tools/tokens.js';
import { requireTurn } from '../../schema/turns/turns.js';
import { callerOf, type RouteContext } from '../context.js';
import { definedFields } from '../http/defined-fields.js';
import { findModel } from '../models/model-choice.js';
import { identifyRequest } from '../http/idempotency.js';
import { RequestRefusedError } from '../http/problems.js';
import {
  fromApprovals,
  fromSendBody,
  type SendBody,
  toTurnOptions,
} from '../threads/message-requests-wire.js';

/** How a request's turn is run and answered. */
export interface SendMode {
  readonly streamTokens: boolean;
  readonly background: boolean;
  /** Whether messages are queued while calls wait for an approval; else they are refused. */
  readonly queues?: boolean;
  /** The response format, in place of the agent's own. */
  readonly responseFormat?: TurnOptions['responseFormat'];
  /** The conversation; absent: the agent's default thread. */
  readonly threadId?: string;
}

/** The parts of a request that sending reads besides its body. */
export type SendHttpRequest = Pick<FastifyRequest, 'headers' | 'url' | 'toolCaller'>;

/**
 * Stores a request's messages and wakes the agent. A repeated request, known by its key or as a blind retry of a client
 * of generation 1, gets the turn that the first one began. Throws RequestRefusedError and PendingApprovalError.
 */
export async function sendMessages(
  context: RouteContext,
  request: SendHttpRequest,
  agent: Agent,
  body: SendBody,
  mode: SendMode,
): Promise<Turn> {
  const messages = fromSendBody(body);
  const approvals = fromApprovals(body);
  findModel(context, { model: body.override_model });
  const threadId = mode.threadId ?? agent.id;
  if (!mode.background) await refuseToolOf(threadId, context.db, request.toolCaller);
  const { turn } = await context.turns.send({
    threadId,
    messages,
    ...(approvals === undefined ? {} : { approvals }),
    options: { ...toTurnOptions(body, mode), ...definedFields({ responseFormat: mode.responseFormat }) },
    whenBusy: whenBusyOf(body, approvals !== undefined),
    refusesApprovals: mode.queues !== true && body.queue !== true,
    ...identifyRequest(request, { body, messages }),
  });
  return turn;
}

/** Throws RequestRefusedError: calls wait only where nothing runs, so a decision finds nothing to steer or interrupt. */
function whenBusyOf({ when_busy: wanted }: SendBody, isDecision: boolean): WhenBusy {
  if (wanted == null || wanted === 'queue') return 'queue';
  if (!isDecision) return wanted;
  throw new RequestRefusedError(
    422,
    `body.when_busy: ${wanted} is for messages. Decisions about tool calls are carried out at once; leave it out.`,
  );
}

/** Refuses a tool's request to wait for the thread that waits for that tool: neither would ever go on. */
async function refuseToolOf(threadId: string, db: Db, caller: ToolCaller | null): Promise<void> {
  if (caller?.turnId == null || (await requireTurn(db, caller.turnId)).threadId !== threadId) return;
  throw new RequestRefusedError(
    409,
    'The agent waits for the tool that sent this, so the tool can’t wait for the agent. Use POST …/messages/async (agents.messages.create_async): the agent gets the message when its turn is over.',
  );
}

/** Refuses fields that only make sense for a stream where none was asked for, as Letta does. */
export function checkStreaming(request: SendHttpRequest, body: SendBody): void {
  const isStreaming = body.streaming === true;
  if (isStreaming && callerOf(request).generation !== '1') {
    throw new RequestRefusedError(
      422,
      'body.streaming: true needs a letta-client of version 1 or newer. Use POST /v1/agents/{agent_id}/messages/stream.',
    );
  }
  if (isStreaming) return;
  const misplaced = [
    body.stream_tokens === true ? 'stream_tokens' : undefined,
    body.background === true ? 'background' : undefined,
    body.include_pings === false ? 'include_pings' : undefined,
  ].find((field) => field !== undefined);
  if (misplaced === undefined) return;
  throw new RequestRefusedError(
    422,
    `body.${misplaced}: can only be set when \`streaming\` is true. Set \`streaming\`, or leave ${misplaced} out.`,
  );
}
