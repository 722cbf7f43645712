import type { Turns } from '../../client/types.js';
import type { Db } from '../../schema/db/database.js';
import { type CompletionHead, toCompletionChunk, toUsageChunk } from './chat-completions-wire.js';
import { toOpenAiError } from './errors-wire.js';
import { asksForDocument, wordsKey } from './requests-wire.js';
import type { Chunk } from '../streams/chunks-wire.js';
import { readChunks, type TurnStream } from '../streams/turn-stream.js';
import { plainTextStart, addToText } from './plain-text.js';
import { sseComment, sseDone, toSse } from '../streams/sse.js';
import type { OnStreamBroken } from '../streams/open-streams.js';

/** A turn's stream in the form of chat completions. */
export interface CompletionStream {
  readonly stream: TurnStream;
  readonly head: CompletionHead;
  /** Whether a last chunk tells the usage. */
  readonly includesUsage: boolean;
}

/**
 * What the agent says to the user, as OpenAI's chunks, until the turn ends or the signal is aborted. Several messages
 * become paragraphs of one. Words that a broken answer said and the next one repeats are sent once.
 */
export async function* streamCompletion(
  deps: { readonly db: Db; readonly turns: Turns; readonly onBroken: OnStreamBroken },
  { stream, head, includesUsage }: CompletionStream,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // Sent at once: the response's head waits for its first byte.
  yield sseComment;
  yield toSse(toCompletionChunk(head, { role: 'assistant', content: '' }));
  try {
    let told = plainTextStart;
    for await (const { body } of readWords(deps, { stream, head }, signal)) {
      const next = addToText(told, body);
      told = next.told;
      if (next.words !== '') yield toSse(toCompletionChunk(head, { content: next.words }));
      yield* toEnd(head, body, includesUsage);
    }
  } catch (error) {
    if (signal.aborted) return;
    deps.onBroken(error);
    const message = `The stream broke off; run ${stream.turn.id} goes on.`;
    yield toSse(toOpenAiError({ message, type: 'server_error', code: 'stream_interrupted' }));
  }
  if (!signal.aborted) yield sseDone;
}

/** The turn's chunks. Where a document was asked for: only the agent's last message, once it is known to be the last. */
export async function* readWords(
  deps: { readonly db: Db; readonly turns: Turns },
  { stream, head }: Pick<CompletionStream, 'stream' | 'head'>,
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  const chunks = readChunks(deps, stream, signal);
  if (!asksForDocument(head.format)) {
    yield* chunks;
    return;
  }
  let held: { readonly key: string; readonly chunks: readonly Chunk[] } = { key: '', chunks: [] };
  for await (const chunk of chunks) {
    const { body } = chunk;
    if (body.message_type === 'assistant_message') {
      const key = wordsKey(body);
      held = { key, chunks: key === held.key ? [...held.chunks, chunk] : [chunk] };
    } else if ('abandoned_message_id' in body) {
      // None of it was sent.
      held = { key: '', chunks: [] };
    } else {
      yield* held.chunks;
      held = { key: '', chunks: [] };
      yield chunk;
    }
  }
}

function* toEnd(head: CompletionHead, body: Chunk['body'], includesUsage: boolean): Generator<string> {
  switch (body.message_type) {
    case 'stop_reason':
      yield toSse(toCompletionChunk(head, {}, body.stop_reason));
      return;
    case 'usage_statistics':
      if (includesUsage) yield toSse(toUsageChunk(head, body));
      return;
    case 'error_message':
      yield toSse(toOpenAiError({ message: body.message, type: 'server_error', code: body.error_type }));
      return;
    default:
  }
}
