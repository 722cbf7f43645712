import type { Message } from '../core/threads/messages.js';
import type { ModelToolCall } from '../core/models/model.js';

/** A message as lines for a terminal: who, and what it thought, did or said. */
export function showMessage({ body }: Message): string[] {
  switch (body.kind) {
    case 'user':
    case 'system':
      return [
        `${body.kind}: ${body.content.map((part) => (part.type === 'text' ? part.text : '[image]')).join(' ')}`,
      ];
    case 'assistant':
      return [
        ...(body.reasoning === '' ? [] : [`  thinks: ${body.reasoning}`]),
        ...(body.text === '' ? [] : [`agent: ${body.text}`]),
        ...body.toolCalls.map(showCall),
      ];
    case 'tool':
      return body.toolName === 'send_message'
        ? []
        : [`  ${body.status}: ${body.content.split('\n')[0] ?? ''}`];
    case 'heartbeat':
      return ['  heartbeat: another step'];
    case 'approval':
      return body.decisions.map((decision) => `user: ${decision.kind} ${decision.toolCallId}`);
    case 'notice':
      return [`  notice: ${body.text.split('\n')[0] ?? ''}`];
  }
}

/** A MemGPT agent speaks by calling a tool. */
function showCall({ name, arguments: written }: ModelToolCall): string {
  if (name !== 'send_message') return `  calls: ${name} ${written}`;
  const { message } = JSON.parse(written) as { message?: unknown };
  return `agent: ${String(message)}`;
}
