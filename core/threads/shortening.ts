import type { ModelMessage, ModelToolCall } from '../turns/model.js';
import { shortenLongMessage } from './pressure.js';

/** Characters of a message that any window should hold. */
const leastCharacters = 200;

/**
 * A transcript that fits, where none of it may leave the context for good: overlong messages lose their middle, all by the same
 * length, and where even the shortest are too many, the oldest answers with their results are left out, with a note of
 * how many. The first message and what came last always stay. Undefined where not even these fit.
 */
export function shortenTranscript(
  messages: readonly ModelMessage[],
  { characters, fits }: { characters: number; fits: (messages: readonly ModelMessage[]) => boolean },
): readonly ModelMessage[] | undefined {
  // Halved until it fits: how many characters a token has depends on the script.
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
      message: `${count} messages that came after this one were left out here: the turn is too long for your context. They are not lost: conversation_search finds them in recall memory.`,
    });
    const kept = [...(first ?? []), { role: 'user' as const, content: note }, ...rest.slice(from).flat()];
    if (fits(kept)) return kept;
  }
  return undefined;
}

/** A message by itself, or an answer with its results: what can be left out without breaking the rest. */
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

// Cut in the middle, arguments would no longer be JSON, and providers refuse that.
function shortenCall(call: ModelToolCall, cap: number): ModelToolCall {
  if (call.arguments.length <= cap) return call;
  return { ...call, arguments: JSON.stringify({ left_out: `${call.arguments.length} characters` }) };
}
