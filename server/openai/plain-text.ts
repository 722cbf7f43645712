import { pause } from './chat-completions-wire.js';
import { wordsKey } from './requests-wire.js';
import type { Chunk } from '../streams/chunks-wire.js';

/** What a reader of plain text has seen, and what is held back. Such a reader can't be told that words are void. */
export interface PlainTextState {
  readonly messageId: string | undefined;
  /** The message's key: an answer may hold several messages. */
  readonly key: string | undefined;
  /** The last paragraph that the reader has seen. */
  readonly shown: string;
  /** The shown words are void: the answer that follows may repeat them. */
  readonly isVoid: boolean;
  /** Words of the repeated answer, so far equal to the beginning of what is shown. */
  readonly held: string;
}

export const plainTextStart: PlainTextState = {
  messageId: undefined,
  key: undefined,
  shown: '',
  isVoid: false,
  held: '',
};

/**
 * The words that one chunk of a turn's stream adds for a reader of plain text. An answer that follows a broken one
 * continues it as long as it says the same; otherwise it becomes a paragraph of its own.
 */
export function addToText(
  told: PlainTextState,
  body: Chunk['body'],
): { told: PlainTextState; words: string } {
  if (body.message_type === 'assistant_message') return tell(told, body);
  if ('abandoned_message_id' in body) {
    const isShown = body.abandoned_message_id === told.messageId;
    return { told: isShown ? { ...told, isVoid: true, held: '' } : told, words: '' };
  }
  const isEnd = body.message_type === 'stop_reason' || body.message_type === 'error_message';
  // The broken answer said more than the final one.
  const isLess = isEnd && told.held !== '' && told.held !== told.shown;
  return isLess
    ? { told: { ...told, shown: told.held, isVoid: false, held: '' }, words: pause + told.held }
    : { told, words: '' };
}

function tell(
  told: PlainTextState,
  body: { readonly id: string; readonly otid: string | null; readonly content: string },
): { told: PlainTextState; words: string } {
  const { id: messageId, content } = body;
  const key = wordsKey(body);
  const isNext = told.key !== key;
  if (!told.isVoid) {
    const words = isNext && told.key !== undefined ? pause + content : content;
    const shown = isNext ? content : told.shown + content;
    return { told: { messageId, key, shown, isVoid: false, held: '' }, words };
  }
  const held = told.held + content;
  if (told.shown.startsWith(held)) return { told: { ...told, messageId, key, held }, words: '' };
  const words = held.startsWith(told.shown) ? held.slice(told.shown.length) : pause + held;
  return { told: { messageId, key, shown: held, isVoid: false, held: '' }, words };
}
