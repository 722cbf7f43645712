import type { FastifyReply } from 'fastify';
import { finalState } from '../../core/turns/stop-reasons.js';
import { saysItsText } from '../../core/tools/tools.js';
import { listAgentTools } from '../../schema/tools/agent-tools.js';
import type { Db } from '../../schema/db/database.js';
import type { Turn } from '../../schema/turns/records.js';
import type { RouteContext } from '../context.js';
import { definedFields } from '../http/defined-fields.js';
import { RequestRefusedError } from '../http/problems.js';
import type { OnStreamBroken } from '../streams/open-streams.js';
import type { TurnStream } from '../streams/turn-stream.js';
import type { SendBody } from '../threads/message-requests-wire.js';
import type { NamedThread } from '../threads/thread-lookup.js';
import type { LettaResponse } from '../turns/letta-response-wire.js';
import { toTurnStream, waitForResponse } from '../turns/replies.js';
import { sendMessages, type SendHttpRequest } from '../turns/sending.js';
import type { ResponseFormat } from './requests-wire.js';

/** What a stream of OpenAI's is made with. */
export type StreamDeps = Pick<RouteContext, 'db' | 'turns'> & { readonly onBroken: OnStreamBroken };

/** A request of OpenAI's API to an agent, and how its answer is written. */
interface AskedAgent<Answer> {
  readonly thread: NamedThread;
  /** The form of the answer, and the field that asks for it. */
  readonly format: { readonly field: string; readonly format: ResponseFormat | undefined };
  /** The messages that the agent has not heard yet, and the field that holds them. */
  readonly unheard: { readonly field: string; readonly body: SendBody | undefined };
  readonly isStreaming: boolean;
  readonly toAnswer: (turn: Turn, response: LettaResponse) => Answer;
  readonly toEvents: (deps: StreamDeps, stream: TurnStream, signal: AbortSignal) => AsyncIterable<string>;
}

/** Sends to the agent what it has not heard yet, and replies in OpenAI's form. Throws RequestRefusedError. */
export async function askAgent<Answer>(
  context: RouteContext,
  request: SendHttpRequest,
  reply: FastifyReply,
  asked: AskedAgent<Answer>,
): Promise<Answer> {
  const { thread, format, unheard, isStreaming, toAnswer, toEvents } = asked;
  const { agent, threadId } = thread;
  await checkFormat(context.db, thread, format);
  if (unheard.body === undefined) {
    throw new RequestRefusedError(
      422,
      `body.${unheard.field}: the last message must be the user’s. The agent remembers what came before.`,
    );
  }
  const form = definedFields({ responseFormat: format.format });
  const mode = { streamTokens: isStreaming, background: false, threadId, ...form };
  const turn = await sendMessages(context, request, agent, unheard.body, mode);
  if (!isStreaming) {
    const response = await waitForResponse(context, reply, agent, turn);
    // The client is gone, and nothing can be answered.
    if (reply.sent) return reply as never;
    return toAnswer(turn, refuseFailure(response));
  }
  const stream = toTurnStream(context, request, { agent, turn, pings: false, startingAfter: 0 });
  return context.streams.send(reply, {
    source: (signal, onBroken) => toEvents({ ...context, onBroken }, stream, signal),
    ids: { runId: turn.id },
  });
}

/**
 * Refuses a response format for an agent that speaks by calling a tool: a provider applies the format to the model's
 * text, not to arguments of a tool. Throws RequestRefusedError.
 */
async function checkFormat(
  db: Db,
  { agent }: NamedThread,
  { field, format }: { readonly field: string; readonly format: ResponseFormat | undefined },
): Promise<void> {
  if (format === undefined || format.type === 'text') return;
  const tools = await listAgentTools(db, agent.id);
  const speaking = tools.map(({ name, extras }) => ({ name, messaging: messagingOf(extras) }));
  if (saysItsText({ ...agent, tools: speaking })) return;
  throw new RequestRefusedError(
    422,
    `body.${field}: agent ${agent.id} speaks by calling a tool, so ${format.type} has no effect on what it says. Use an agent of type letta_v1_agent.`,
  );
}

function messagingOf({ messaging }: Readonly<Record<string, unknown>>): string | null {
  return typeof messaging === 'string' ? messaging : null;
}

/** Throws RequestRefusedError for a turn that failed before the agent said anything: to OpenAI's clients this is an error. */
function refuseFailure(response: LettaResponse): LettaResponse {
  const { stop_reason: stop } = response.stop_reason;
  if (response.messages.length > 0 || finalState(stop) === 'completed') return response;
  throw new RequestRefusedError(400, response.error?.message ?? `The agent’s turn ended with ${stop}.`);
}
