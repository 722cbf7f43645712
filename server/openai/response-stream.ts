import type { Turns } from '../../client/types.js';
import type { StopReason } from '../../core/turns/stop-reasons.js';
import type { Db } from '../../schema/db/database.js';
import {
  itemId,
  type OutputMessage,
  type ResponseHead,
  type ResponseState,
  toOpenAiResponse,
  toOutput,
  toOutputText,
} from './responses-wire.js';
import type { Chunk } from '../streams/chunks-wire.js';
import { readWords } from './completion-stream.js';
import { plainTextStart, addToText } from './plain-text.js';
import type { TurnStream } from '../streams/turn-stream.js';
import { toNamedSse } from '../streams/sse.js';
import type { OnStreamBroken } from '../streams/open-streams.js';

/** A turn's stream in the form of OpenAI's responses. */
export interface ResponseStream {
  readonly stream: TurnStream;
  readonly head: ResponseHead;
}

/** The message that the agent is saying. */
interface Speech {
  readonly id: string;
  readonly key: string | undefined;
  readonly text: string;
}

type Event = { readonly type: string } & Readonly<Record<string, unknown>>;

/**
 * What the agent says to the user, as events of OpenAI's responses, until the turn ends or the signal is aborted. Each
 * message is an output item.
 */
export async function* streamResponse(
  deps: { readonly db: Db; readonly turns: Turns; readonly onBroken: OnStreamBroken },
  { stream, head }: ResponseStream,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let sequence = 0;
  const toLine = (event: Event): string => {
    const data = { ...event, sequence_number: sequence };
    sequence += 1;
    return toNamedSse({ name: event.type, data });
  };
  const response = toOpenAiResponse(head, { output: [], stopReason: null, usage: null, error: null });
  yield toLine({ type: 'response.created', response });
  yield toLine({ type: 'response.in_progress', response });
  try {
    for await (const event of toResponseEvents(head, readWords(deps, { stream, head }, signal)))
      yield toLine(event);
  } catch (error) {
    if (signal.aborted) return;
    deps.onBroken(error);
    const message = `The stream broke off; run ${stream.turn.id} goes on.`;
    yield toLine({ type: 'error', code: 'stream_interrupted', message, param: null });
  }
}

/** The events of a response, after those of its beginning, from a turn's chunks. */
export async function* toResponseEvents(
  head: ResponseHead,
  chunks: AsyncIterable<Chunk>,
): AsyncGenerator<Event> {
  const output: OutputMessage[] = [];
  let speech: Speech | undefined;
  let stopReason: StopReason | null = null;
  let told = plainTextStart;
  for await (const { body } of chunks) {
    const next = addToText(told, body);
    // Void words can't be taken back here: the repeated answer continues in their item.
    const isAnew = told.isVoid && speech !== undefined;
    told = next.told;
    const isSaid = body.message_type === 'assistant_message';
    if (isSaid && !isAnew && speech?.key !== told.key) {
      if (speech !== undefined) yield* closing(output, speech);
      speech = { id: itemId(body), key: told.key, text: '' };
      yield* opening(output.length, speech);
    }
    if (speech !== undefined) {
      const words = isSaid && !isAnew ? body.content : next.words;
      speech = { ...speech, key: told.key, text: speech.text + words };
      if (words !== '') yield { ...placeOf(output.length, speech), ...delta(words) };
    }
    if (isSaid || (told.isVoid && !isEnd(body))) continue;
    if (speech !== undefined) yield* closing(output, speech);
    speech = undefined;
    if (body.message_type === 'stop_reason') stopReason = body.stop_reason;
    if (body.message_type === 'usage_statistics')
      yield ending(head, { output, stopReason, usage: body, error: null });
    if (body.message_type === 'error_message')
      yield ending(head, { output, stopReason, usage: null, error: body.message });
  }
}

function isEnd({ message_type: type }: Chunk['body']): boolean {
  return type === 'stop_reason' || type === 'usage_statistics' || type === 'error_message';
}

function placeOf(index: number, { id }: Speech) {
  return { item_id: id, output_index: index, content_index: 0 };
}

function delta(text: string): Event {
  return { type: 'response.output_text.delta', delta: text, logprobs: [] };
}

function* opening(index: number, speech: Speech): Generator<Event> {
  const item = { ...toOutput(speech.id, ''), status: 'in_progress', content: [] };
  yield { type: 'response.output_item.added', output_index: index, item };
  yield { type: 'response.content_part.added', ...placeOf(index, speech), part: toOutputText('') };
}

function* closing(output: OutputMessage[], speech: Speech): Generator<Event> {
  const { id, text } = speech;
  const index = output.length;
  const item = toOutput(id, text);
  output.push(item);
  yield { type: 'response.output_text.done', ...placeOf(index, speech), text, logprobs: [] };
  yield { type: 'response.content_part.done', ...placeOf(index, speech), part: toOutputText(text) };
  yield { type: 'response.output_item.done', output_index: index, item };
}

function ending(head: ResponseHead, state: ResponseState): Event {
  const response = toOpenAiResponse(head, state);
  const { status } = response;
  // There is no event for a cancelled response.
  const how = status === 'completed' || status === 'incomplete' ? status : 'failed';
  return { type: `response.${how}`, response };
}
