import type { MessageEdit } from '../turns/chores.js';
import type { MessageBody } from './messages.js';
import { type SpeakingTools, speakingTools } from '../tools/messaging.js';

/**
 * Replaces a message's text; undefined where the message has no such part. For an agent that speaks by a tool, the
 * text is that of its first speaking call.
 */
export function editBody(
  body: MessageBody,
  { part, text }: MessageEdit,
  speaking: SpeakingTools = speakingTools,
): MessageBody | undefined {
  if (body.kind === 'user' || body.kind === 'system') {
    if (part !== body.kind) return undefined;
    // An edit keeps images.
    const others = body.content.filter((one) => one.type !== 'text');
    return { ...body, content: [{ type: 'text', text }, ...others] };
  }
  if (body.kind !== 'assistant') return undefined;
  if (part === 'reasoning') return body.reasoning === '' ? undefined : { ...body, reasoning: text };
  if (part !== 'assistant') return undefined;
  const speech = body.toolCalls.findIndex((call) => speaking.has(call.name));
  if (speech === -1) return body.text === '' ? undefined : { ...body, text };
  const toolCalls = body.toolCalls.map((call, index) =>
    index === speech
      ? { ...call, arguments: withWords(call.arguments, speaking.get(call.name) ?? '', text) }
      : call,
  );
  return { ...body, toolCalls };
}

function withWords(json: string, argument: string, text: string): string {
  return JSON.stringify({ ...argumentsOf(json), [argument]: text });
}

function argumentsOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
