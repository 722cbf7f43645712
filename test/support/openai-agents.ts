import { randomUUID } from 'node:crypto';
import { runCanary } from './runtime/canary.js';
import { conformanceModel } from './conformance-model.js';
import { lastSaid, type Policy } from './model-server.js';
import type { Rest } from './server/rest.js';

/** What an agent says to a greeting, where `openAiPolicy` is its model. */
export const answerTo = (said: string): string => `${said} to you too, and thank you for coming by.`;

/** The model of agents that are spoken to through OpenAI's APIs: what it is told may ask for two speeches, or for a refusal. */
export const openAiPolicy: Policy = (request, step) => {
  const asked = lastSaid(request);
  if (asked.includes('twice')) {
    const look = { call: 'conversation_search', args: { query: runCanary() } };
    return step === 0 ? { text: 'I look.', ...look } : { text: 'I found it.' };
  }
  if (asked.includes('Refuse')) return { status: 401, body: { error: { message: 'no such key' } } };
  return conformanceModel(request);
};

/** An agent with that model, under a name of its own. */
export function anOpenAiAgent(rest: Rest, fields: object = {}): Promise<{ id: string; name: string }> {
  const models = { model: 'openai/scripted', embedding: 'openai/text-embedding-3-small' };
  return rest.read('POST', '/v1/agents', { ...models, name: `Sam ${randomUUID()}`, ...fields });
}
