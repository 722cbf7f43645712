import type { Stack } from '../../stack/stack.js';
import { createAgent as create, post } from '../api.js';

/** Creates an agent with the embeddings of this benchmark's model. Returns its id. */
export function createAgent(
  stack: Pick<Stack, 'api'>,
  fields: { readonly model: string; readonly [field: string]: unknown },
): Promise<string> {
  return create(stack, { embedding: 'openai/bench', ...fields });
}

/** What the agent said in a turn, and the turn's stop reason. */
export interface TurnAnswer {
  readonly said: string;
  readonly end: string;
}

/** Sends a message to an agent and waits for the end of its turn, whatever the stop reason. */
export async function tell(stack: Pick<Stack, 'api'>, agentId: string, text: string): Promise<TurnAnswer> {
  const answer = await post<{
    messages: { message_type: string; content?: unknown }[];
    stop_reason: { stop_reason: string };
  }>(stack, `/v1/agents/${agentId}/messages`, {
    messages: [{ role: 'user', content: text }],
  });
  const said = answer.messages.filter(({ message_type: type }) => type === 'assistant_message');
  return { said: said.map(({ content }) => String(content)).join('\n'), end: answer.stop_reason.stop_reason };
}
