import type { MessageEdit } from './chores.js';
import type { MessageBody } from './messages.js';

/**
 * The message with other words; undefined where it has no such part. Of an agent that speaks by a tool, its first
 * words are those of its first `send_message` call.
 */
export function editBody(body: MessageBody, { part, text }: MessageEdit): MessageBody | undefined {
  if (body.kind === 'user' || body.kind === 'system') {
    if (part !== body.kind) return undefined;
    // Pictures stay: an edit is about the words.
    const others = body.content.filter((one) => one.type !== 'text');
    return { ...body, content: [{ type: 'text', text }, ...others] };
  }
  if (body.kind !== 'assistant') return undefined;
  if (part === 'reasoning') return body.reasoning === '' ? undefined : { ...body, reasoning: text };
  if (part !== 'assistant') return undefined;
  const speech = body.toolCalls.findIndex((call) => call.name === 'send_message');
  if (speech === -1) return body.text === '' ? undefined : { ...body, text };
  const toolCalls = body.toolCalls.map((call, index) =>
    index === speech
      ? { ...call, arguments: JSON.stringify({ ...argumentsOf(call.arguments), message: text }) }
      : call,
  );
  return { ...body, toolCalls };
}

function argumentsOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
