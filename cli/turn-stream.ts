import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CommandFailure, exitCodes } from './failure.js';
import type { Rest } from './server.js';

/** What the server tells of a turn, as far as the command line reads it. */
export interface TurnEvent {
  readonly message_type: string;
  readonly seq_id?: number;
  readonly run_id?: string;
  readonly id?: string;
  readonly step_id?: string | null;
  readonly name?: string | null;
  readonly content?: unknown;
  readonly reasoning?: string;
  readonly tool_call?: WireCall;
  readonly tool_calls?: readonly WireCall[] | WireCall | null;
  readonly tool_call_id?: string;
  readonly tool_return?: unknown;
  readonly status?: string;
  readonly stop_reason?: string;
  readonly abandoned_message_id?: string;
  readonly message?: string;
  readonly detail?: string;
  readonly step_count?: number;
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly cached_input_tokens?: number | null;
}

/** A call, or a fragment of one. */
export interface WireCall {
  readonly name?: string | null;
  readonly arguments?: string | null;
  readonly tool_call_id?: string | null;
}

/** A turn to be begun, or one that was. */
export type TurnSource =
  { readonly agentId: string; readonly messages: readonly object[] } | { readonly runId: string };

export interface ReadTurnOptions {
  /** Told when the connection was lost, and when it is back. */
  readonly onConnection?: (state: 'lost' | 'back') => void;
  /** Between two tries to connect again, in ms. */
  readonly pauseMs?: number;
}

const pauseMs = 1_000;
const mostTries = 300;

/**
 * All that happens in a turn, to its end, each thing once: where the connection is lost, it goes on after what was seen.
 * Throws CommandFailure where the server refuses the turn, or stays away.
 */
export async function* readTurn(
  rest: Rest,
  source: TurnSource,
  options: ReadTurnOptions = {},
): AsyncGenerator<TurnEvent> {
  // With it a send can be repeated: the server knows the turn that the first one began.
  const key = randomUUID();
  let runId = 'runId' in source ? source.runId : undefined;
  let seen = 0;
  let tries = 0;
  let wasReached = runId !== undefined;
  for (;;) {
    try {
      const response = await open(rest, source, { key, runId, seen });
      wasReached = true;
      for await (const event of readEvents(response)) {
        if (tries > 0) options.onConnection?.('back');
        tries = 0;
        runId = event.run_id ?? runId;
        seen = event.seq_id ?? seen;
        yield event;
        if (isLast(event)) return;
      }
    } catch (error) {
      // A refusal stays one, and where nothing was ever reached there is nothing to go on with.
      if (error instanceof CommandFailure && (error.exitCode !== exitCodes.unreachable || !wasReached))
        throw error;
    }
    tries += 1;
    if (tries === 1) options.onConnection?.('lost');
    if (tries > mostTries) {
      throw new CommandFailure(
        'unreachable',
        `The server stays away. The turn goes on without it: ${runId ?? ''}`,
      );
    }
    await delay(options.pauseMs ?? pauseMs);
  }
}

interface Place {
  readonly key: string;
  readonly runId: string | undefined;
  readonly seen: number;
}

function open(rest: Rest, source: TurnSource, { key, runId, seen }: Place): Promise<Response> {
  if (runId !== undefined) {
    return rest.raw(`/v1/runs/${runId}/stream`, {
      method: 'POST',
      body: JSON.stringify({ starting_after: seen }),
    });
  }
  if (!('agentId' in source)) throw new Error('A turn has a run or an agent.');
  return rest.raw(`/v1/agents/${source.agentId}/messages/stream`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: JSON.stringify({ messages: source.messages, stream_tokens: true, background: true }),
  });
}

async function* readEvents({ body }: Response): AsyncGenerator<TurnEvent> {
  if (body === null) return;
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of events) {
    if (data === '[DONE]') return;
    const event = JSON.parse(data) as TurnEvent;
    if (event.message_type !== 'ping') yield event;
  }
}

/** A turn's last event: what it cost, or why it failed. */
function isLast({ message_type: type }: TurnEvent): boolean {
  return type === 'usage_statistics' || type === 'error_message';
}
