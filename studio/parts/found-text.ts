import type { FoundMessage } from '../api/types.js';
import { textOfContent } from './content-text.js';

/** What a found message says. */
export function textOf(message: FoundMessage): string {
  return message.message_type === 'reasoning_message' ? message.reasoning : textOfContent(message.content);
}
