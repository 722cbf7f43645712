import type { Turns } from '../../client/types.js';
import type { Db } from '../../schema/db/database.js';
import type { OnStreamBroken } from '../streams/open-streams.js';
import { sseComment, sseDone, toSse } from '../streams/sse.js';
import { readChunks, type TurnStream } from '../streams/turn-stream.js';
import { createUiWriter, type ShownCalls, type UiChunk } from './ui-chunks-wire.js';

/** A turn's stream for a chat of the AI SDK. */
export interface ChatStream {
  readonly stream: TurnStream;
  /** The message's id on the page. */
  readonly messageId: string;
  readonly shown: ShownCalls;
}

interface StreamDeps {
  readonly db: Db;
  readonly turns: Turns;
  readonly onBroken: OnStreamBroken;
}

/** The turn as the server-sent events of a UI message stream. See `streamUi`. */
export async function* streamChat(
  deps: StreamDeps,
  chat: ChatStream,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // Sent at once: the response's head waits for its first byte.
  yield sseComment;
  for await (const chunk of streamUi(deps, chat, signal)) yield toSse(chunk);
  if (!signal.aborted) yield sseDone;
}

/**
 * The turn's chunks, from its beginning until it ends. A stream that ends before the turn does, because the server stops or
 * fails, says so, and the page can resume it.
 */
export async function* streamUi(
  deps: StreamDeps,
  { stream, messageId, shown }: ChatStream,
  signal: AbortSignal,
): AsyncGenerator<UiChunk> {
  const writer = createUiWriter(shown);
  yield { type: 'start', messageId, messageMetadata: { run_id: stream.turn.id } };
  try {
    for await (const { body } of readChunks(deps, stream, signal)) yield* writer.write(body);
  } catch (error) {
    if (!signal.aborted) deps.onBroken(error);
    yield brokenOff;
    return;
  }
  if (signal.aborted) yield brokenOff;
}

const brokenOff: UiChunk = {
  type: 'error',
  errorText: 'The stream broke off; the agent’s turn goes on. Resume the stream.',
};
