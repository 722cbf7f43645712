import { randomUUID } from 'node:crypto';
import { toChatRequest } from '../../adapters/models/chat-request.js';
import { toBody } from '../../client/turns.js';
import type { OutgoingMessage } from '../../client/types.js';
import { type Agent, loopStyle } from '../../core/agents/agents.js';
import type { Message } from '../../core/threads/messages.js';
import { toolsAllowed } from '../../core/tools/offered-tools.js';
import { toModelMessages } from '../../core/threads/model-messages.js';
import { readContext } from './context-overview.js';
import type { ServerDeps } from '../deps.js';

/** The request that an agent's model would get for these messages. Nothing is stored or sent. */
export async function previewRequest(
  deps: ServerDeps,
  { id: agentId, timezone }: Agent,
  messages: readonly OutgoingMessage[],
): Promise<Record<string, unknown>> {
  const { agent, prefix, queue, request } = await readContext(deps, { agentId, threadId: agentId });
  const incoming = messages.map((message) => toIncoming(agentId, message));
  const { model, provider } = deps.models.describe(agent.model);
  const transcript = toModelMessages([...queue, ...incoming], loopStyle(agent.agentType), timezone);
  const body = toChatRequest(
    model,
    {
      messages: [{ role: 'system', content: prefix }, ...transcript],
      ...toolsAllowed(agent, request.tools, []),
      settings: agent.modelSettings,
    },
    provider === 'openai',
  );
  return { ...body };
}

function toIncoming(agentId: string, message: OutgoingMessage): Message {
  return {
    id: `message-${randomUUID()}`,
    ...{ agentId, threadId: agentId, turnId: null, stepId: null, position: null },
    createdAt: new Date(),
    ...{ otid: null, senderId: null },
    body: toBody(message),
  };
}
