import { setTimeout as delay } from 'node:timers/promises';
import { runCanary } from './runtime/canary.js';
import { type ChatRequest, lastSaid, type Reply } from './model-server.js';

/** How long `openai/slow` thinks, in ms: longer than a client's patience, shorter than that of its retries. */
const slownessMs = 5_000;

/** The model that clients are tested with: `openai/slow` takes its time, `openai/hanging` never answers. */
export async function conformanceModel(request: ChatRequest): Promise<Reply> {
  if (request.model === 'hanging') return new Promise(() => undefined);
  if (request.model === 'slow') await delay(slownessMs);
  const said = /Good (morning|evening)/.exec(lastSaid(request))?.[0] ?? 'Hello';
  const message = `${said} to you too, and thank you for coming by.`;
  const canSpeak = request.tools?.some((tool) => tool.function.name === 'send_message') === true;
  return canSpeak
    ? { call: 'send_message', args: { thinking: `I answer. ${runCanary()}`, message } }
    : { text: message };
}
