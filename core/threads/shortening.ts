import type { ModelMessage, ModelToolCall } from '../models/model.js';
import { shortenLongMessage } from './pressure.js';

/** Characters of a message that any window should hold. */
const leastCharacters = 200;

/**
 * Shortens a transcript to fit where no message may be evicted: long messages lose their middle, all at the same
 * length. If that is not enough, the oldest answers with their results are omitted, with a note of how many. The
 * first message and the last ones always stay. Undefined where not even these fit.
 */
export function shortenTranscript(
  messages: readonly ModelMessage[],
  { characters, fits }: { characters: number; fits: (messages: readonly ModelMessage[]) => boolean },
): readonly ModelMessage[] | undefined {
  // Halved until it fits: the ratio of characters to tokens depends on the script.
  for (let cap = Math.max(leastCharacters, Math.floor(characters)); ; cap = Math.floor(cap / 2)) {
    const least = cap < 2 * leastCharacters;
    const shortened = messages.map((message) => capped(message, least ? leastCharacters : cap));
    if (fits(shortened)) return shortened;
    if (least) return leaveOut(shortened, fits);
  }
}

function leaveOut(
  messages: readonly ModelMessage[],
  fits: (messages: readonly ModelMessage[]) => boolean,
): readonly ModelMessage[] | undefined {
  const [first, ...rest] = inExchanges(messages);
  for (let from = 1; from < rest.length; from += 1) {
    const count = rest.slice(0, from).flat().length;
    const note = JSON.stringify({
      type: 'system_alert',
      message: `The next ${count} messages are omitted here because the turn is too long for your context. They are not lost: conversation_search finds them in recall memory.`,
    });
    const kept = [...(first ?? []), { role: 'user' as const, content: note }, ...rest.slice(from).flat()];
    if (fits(kept)) return kept;
  }
  return undefined;
}

/** The units that can be omitted: a message by itself, or an answer with its results. */
function inExchanges(messages: readonly ModelMessage[]): readonly (readonly ModelMessage[])[] {
  const exchanges: ModelMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'tool') exchanges.at(-1)?.push(message);
    else exchanges.push([message]);
  }
  return exchanges;
}

function capped(message: ModelMessage, cap: number): ModelMessage {
  switch (message.role) {
    case 'user':
      return typeof message.content === 'string'
        ? { ...message, content: shortenLongMessage(message.content, cap) }
        : {
            ...message,
            content: message.content.map((part) =>
              part.type === 'text' ? { ...part, text: shortenLongMessage(part.text, cap) } : part,
            ),
          };
    case 'assistant':
      return {
        ...message,
        content: shortenLongMessage(message.content, cap),
        toolCalls: message.toolCalls.map((call) => shortenCall(call, cap)),
      };
    case 'tool':
    case 'system':
      return { ...message, content: shortenLongMessage(message.content, cap) };
  }
}

// Arguments cut in the middle would no longer be JSON, which providers refuse.
function shortenCall(call: ModelToolCall, cap: number): ModelToolCall {
  if (call.arguments.length <= cap) return call;
  return { ...call, arguments: JSON.stringify({ left_out: `${call.arguments.length} characters` }) };
}
