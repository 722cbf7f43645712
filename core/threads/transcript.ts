import type { Message } from './messages.js';

/**
 * The longest beginning of a transcript in which every tool call has its result. It omits what a running or waiting
 * turn has begun.
 */
export function closedPart(messages: readonly Message[]): readonly Message[] {
  const open = new Set<string>();
  let end = 0;
  messages.forEach(({ body }, index) => {
    if (body.kind === 'assistant') body.toolCalls.forEach((call) => open.add(call.id));
    if (body.kind === 'tool') open.delete(body.toolCallId);
    if (open.size === 0) end = index + 1;
  });
  return messages.slice(0, end);
}
