import type { Stack } from '../stack/stack.js';

/** Posts to the REST API. Throws with the response's body if it isn't a success. */
export async function post<T>(stack: Pick<Stack, 'api'>, path: string, body: unknown): Promise<T> {
  const response = await fetch(`${stack.api}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Creates an agent over REST, with blocks, and these fields. Returns its id. */
export async function createAgent(
  stack: Pick<Stack, 'api'>,
  fields: { readonly model: string; readonly [field: string]: unknown },
): Promise<string> {
  const { id } = await post<{ id: string }>(stack, '/v1/agents/', {
    agent_type: 'memgpt_agent',
    context_window_limit: 128_000,
    memory_blocks: [
      { label: 'human', value: 'Their name is Sid.', limit: 100_000 },
      { label: 'persona', value: 'My name is Sam.' },
    ],
    ...fields,
  });
  return id;
}

/** Creates an agent with a model of `instant-model.ts`. Returns its id. */
export function makeAgent(
  stack: Pick<Stack, 'api'>,
  model: string,
  contextWindow = 128_000,
): Promise<string> {
  const embedding = 'perdure/use-lite';
  return createAgent(stack, { model: `openai/${model}`, embedding, context_window_limit: contextWindow });
}

/** Sends a message to an agent and waits for the end of its turn. Throws if the stop reason isn't `end_turn`. */
export async function say(
  stack: Pick<Stack, 'api'>,
  agentId: string,
  { text = 'Good morning. I like the sea.', maxSteps = 50 }: { text?: string; maxSteps?: number } = {},
): Promise<void> {
  const path = `/v1/agents/${agentId}/messages`;
  const { stop_reason: stopReason } = await post<{ stop_reason: { stop_reason: string } }>(stack, path, {
    messages: [{ role: 'user', content: text }],
    max_steps: maxSteps,
  });
  if (stopReason.stop_reason !== 'end_turn')
    throw new Error(`The turn ended with ${stopReason.stop_reason}.`);
}
