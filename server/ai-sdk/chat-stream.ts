import type { Turns } from '../../client/types.js';
import type { Db } from '../../schema/db/database.js';
import type { OnStreamBroken } from '../streams/open-streams.js';
import { sseComment, sseDone, toSse } from '../streams/sse.js';
import { readChunks, type TurnStream } from '../streams/turn-stream.js';
import { createUiWriter, type ShownCalls } from './ui-chunks-wire.js';

/** A turn's stream for a chat of the AI SDK. */
export interface ChatStream {
  readonly stream: TurnStream;
  /** The message's id on the page. */
  readonly messageId: string;
  readonly shown: ShownCalls;
}

/**
 * The turn as a UI message stream, from its beginning until it ends. A stream that ends before the turn does, because the
 * server stops or fails, says so, and the page can resume it.
 */
export async function* streamChat(
  deps: { readonly db: Db; readonly turns: Turns; readonly onBroken: OnStreamBroken },
  { stream, messageId, shown }: ChatStream,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const writer = createUiWriter(shown);
  // Sent at once: the response's head waits for its first byte.
  yield sseComment;
  yield toSse({ type: 'start', messageId, messageMetadata: { run_id: stream.turn.id } });
  try {
    for await (const { body } of readChunks(deps, stream, signal)) {
      for (const chunk of writer.write(body)) yield toSse(chunk);
    }
  } catch (error) {
    if (!signal.aborted) deps.onBroken(error);
    yield brokenOff;
    return;
  }
  yield signal.aborted ? brokenOff : sseDone;
}

const brokenOff = toSse({
  type: 'error',
  errorText: 'The stream broke off; the agent’s turn goes on. Resume the stream.',
});
