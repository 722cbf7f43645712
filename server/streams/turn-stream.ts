import { randomUUID } from 'node:crypto';
import { throughOutages } from '../../client/outages.js';
import type { Turns } from '../../client/types.js';
import type { LoggedEvent } from '../../core/turns/events.js';
import type { Message } from '../../core/threads/messages.js';
import type { Db } from '../../schema/db/database.js';
import { getMessages } from '../../schema/threads/messages.js';
import type { Turn } from '../../schema/turns/records.js';
import { hasPrunedEvents } from '../../schema/turns/events.js';
import { findAbsorption } from '../../schema/turns/steering.js';
import { RequestRefusedError } from '../http/problems.js';
import type { Rendering } from '../threads/rendering-wire.js';
import { type Chunk, renderEvent, streamStart, toWireError } from './chunks-wire.js';
import type { OnStreamBroken } from './open-streams.js';
import { sseComment, sseDone, toSse } from './sse.js';

/** How one client reads a turn's stream. */
export interface TurnStream {
  readonly turn: Turn;
  readonly rendering: Rendering;
  /** Whether pings are sent: one at once, which tells the run's id, and one whenever the stream is silent. */
  readonly pings: boolean;
  /** Only chunks after this `seq_id` are sent; 0: all. */
  readonly startingAfter: number;
}

/**
 * Refuses to resume a stream whose fragments have been pruned: without them, what the client has can't be told from what
 * it lacks, and it would read the same words twice. Throws RequestRefusedError (410).
 */
export async function checkResumable(db: Db, { turn, startingAfter }: TurnStream): Promise<void> {
  if (startingAfter === 0 || turn.options.streamTokens !== true) return;
  const told = (await findAbsorption(db, turn.id))?.by ?? turn.id;
  if (!(await hasPrunedEvents(db, told))) return;
  throw new RequestRefusedError(
    410,
    `The fragments of run ${turn.id} have expired, so its stream can't be resumed in the middle. Read its messages with GET /v1/runs/${turn.id}/messages, or stream it from the start without \`starting_after\`.`,
  );
}

/**
 * The turn's stream as server-sent events, until the turn ends or the signal is aborted. The log is always read from its
 * beginning, because what a fragment shows depends on those before it; chunks that the client has are left out.
 */
export async function* streamTurn(
  deps: { readonly db: Db; readonly turns: Turns; readonly onBroken: OnStreamBroken },
  stream: TurnStream,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { turn } = stream;
  // Sent at once: the response's head waits for its first byte.
  yield keepAliveOf(stream)();
  try {
    for await (const chunk of readChunks(deps, stream, signal)) {
      if (chunk.seqId > stream.startingAfter) yield toLine(chunk, turn.id);
    }
  } catch (error) {
    if (signal.aborted) return;
    deps.onBroken(error);
    const message = `The stream broke off; run ${turn.id} goes on. Resume with POST /v1/runs/${turn.id}/stream.`;
    yield toSse(toWireError(turn.id, { type: 'stream_interrupted', message }), 'error');
  }
  // Not for an aborted stream: its end is not the end of the run.
  if (!signal.aborted) yield sseDone;
}

/** What begins a stream and keeps its connection alive: a ping for clients that want pings, else a comment. */
export function keepAliveOf(stream: TurnStream): () => string {
  return () => (stream.pings ? toPing(stream.turn.id) : sseComment);
}

/**
 * The turn's chunks from the log's beginning until the turn ends or the signal is aborted. A turn that steered another goes on
 * with that one's. Waits out a database restart.
 */
export async function* readChunks(
  deps: { readonly db: Db; readonly turns: Turns },
  { turn, rendering }: TurnStream,
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  const view = { rendering, showsTokens: turn.options.streamTokens ?? false };
  let state = streamStart;
  for await (const logged of watchOn(deps.turns, turn.id, signal)) {
    const message = await throughOutages(() => findMessage(deps.db, logged), signal);
    const rendered = renderEvent(state, logged, view, { message, at: new Date() });
    state = rendered.state;
    yield* rendered.chunks;
  }
}

async function* watchOn(turns: Turns, turnId: string, signal: AbortSignal): AsyncGenerator<LoggedEvent> {
  for await (const logged of turns.watch(turnId, { signal })) {
    if (logged.event.kind === 'absorbed') {
      // Its numbers are higher: it had events before it took this turn in.
      yield* turns.watch(logged.event.by, { after: logged.event.after, signal });
      return;
    }
    yield logged;
  }
}

async function findMessage(db: Db, { event }: LoggedEvent): Promise<Message | undefined> {
  return event.kind === 'message' ? (await getMessages(db, [event.messageId]))[0] : undefined;
}

function toLine(chunk: Chunk, turnId: string): string {
  const body = { ...chunk.body, seq_id: chunk.seqId, run_id: turnId };
  return toSse(body, chunk.body.message_type === 'error_message' ? 'error' : undefined);
}

function toPing(turnId: string): string {
  return toSse({
    id: `ping-${randomUUID()}`,
    date: new Date().toISOString(),
    message_type: 'ping',
    run_id: turnId,
  });
}
