import type { FastifyReply, FastifyRequest } from 'fastify';
import { throughOutages } from '../../client/outages.js';
import type { Agent } from '../../core/agents/agents.js';
import { listMessages } from '../../schema/threads/messages.js';
import type { Turn } from '../../schema/turns/records.js';
import { findAbsorption, messagesSince } from '../../schema/turns/steering.js';
import { requireTurn, turnUsage } from '../../schema/turns/turns.js';
import { callerOf, type RouteContext } from '../context.js';
import { keepAliveOf, streamTurn, type TurnStream } from '../streams/turn-stream.js';
import type { SendBody } from '../threads/message-requests-wire.js';
import { toReplyMessages } from '../threads/messages-wire.js';
import { toRendering } from '../threads/rendering-wire.js';
import type { LettaResponse } from './letta-response-wire.js';
import { finalStopReason } from './runs-wire.js';
import { sendMessages, type SendHttpRequest } from './sending.js';
import { toWireStopReason, toWireUsage } from '../models/usage-wire.js';

/** Sends a request's messages to an agent, and replies with the turn's stream or with what was said by its end. */
export async function sendAndReply(
  context: RouteContext,
  request: SendHttpRequest & { readonly body: SendBody },
  reply: FastifyReply,
  to: { readonly agent: Agent; readonly threadId?: string; readonly isStreaming: boolean },
): Promise<LettaResponse> {
  const { body } = request;
  const { agent, isStreaming, ...thread } = to;
  const turn = await sendMessages(context, request, agent, body, {
    ...thread,
    streamTokens: isStreaming && body.stream_tokens === true,
    background: body.background === true,
  });
  if (!isStreaming) return waitForResponse(context, reply, agent, turn);
  const reading = { agent, turn, pings: body.include_pings, startingAfter: 0 };
  return replyStream(context, reply, toTurnStream(context, request, reading));
}

/** Streams a turn as the reply. */
export function replyStream(
  { db, turns, streams }: RouteContext,
  reply: FastifyReply,
  stream: TurnStream,
): never {
  return streams.send(reply, {
    source: (signal, onBroken) => streamTurn({ db, turns, onBroken }, stream, signal),
    keepAlive: keepAliveOf(stream),
    ids: { runId: stream.turn.id },
  });
}

/** Waits for the turn's end. Returns what was said in it; see `OpenStreams.wait` for a client that leaves. */
export function waitForResponse(
  context: RouteContext,
  reply: FastifyReply,
  agent: Agent,
  turn: Turn,
): Promise<LettaResponse> {
  return context.streams.wait(reply, async (signal) => {
    const ended = await context.turns.result(turn.id, { signal });
    return throughOutages(() => toResponse(context, agent, ended), signal);
  });
}

/** The messages and the stop reason of an ended turn. For a turn that steered another: of that one, since then. */
export async function toResponse(context: RouteContext, agent: Agent, turn: Turn): Promise<LettaResponse> {
  const { db } = context;
  const rendering = toRendering(agent, turn.options.wire, context.extensions);
  const absorption = await findAbsorption(db, turn.id);
  const told = absorption === undefined ? turn : await requireTurn(db, absorption.by);
  const [messages, usage] = await Promise.all([
    absorption === undefined ? listMessages(db, { turnId: turn.id }, {}) : messagesSince(db, absorption),
    turnUsage(db, told.id),
  ]);
  return {
    messages: toReplyMessages(messages, rendering),
    stop_reason: toWireStopReason(finalStopReason(turn)),
    usage: toWireUsage(usage, told.steps, turn.id),
    ...(turn.error === null ? {} : { error: { ...turn.error, run_id: turn.id } }),
  };
}

/** The stream of a turn for the client that sent the request. */
export function toTurnStream(
  { extensions }: RouteContext,
  request: Pick<FastifyRequest, 'headers'>,
  reading: {
    readonly agent: Agent;
    readonly turn: Turn;
    readonly pings: boolean | null | undefined;
    readonly startingAfter: number;
  },
): TurnStream {
  const { agent, turn, pings, startingAfter } = reading;
  return {
    turn,
    rendering: toRendering(agent, turn.options.wire, extensions),
    // Older clients don't know pings, and take one for a message.
    pings: pings ?? callerOf(request).generation === '1',
    startingAfter,
  };
}
