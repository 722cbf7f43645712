import type { FoundMessage } from '../api/types.js';

/** What a found message says. */
export function textOf(message: FoundMessage): string {
  if (message.message_type === 'reasoning_message') return message.reasoning;
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as { text?: string }[])
    .flatMap(({ text }) => (text === undefined ? [] : [text]))
    .join('\n');
}
