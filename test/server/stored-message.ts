import type { Message, MessageBody } from '../../core/threads/messages.js';

/** A stored message of an agent's default thread, from the first step of its first run. */
export function aStoredMessage(body: MessageBody, fields: Partial<Message> = {}): Message {
  return {
    id: 'message-00000000-0000-4000-8000-0000000000aa',
    agentId: 'agent-1',
    threadId: 'agent-1',
    turnId: 'run-1',
    stepId: 'step-1',
    position: 1,
    createdAt: new Date('2026-01-31T12:00:00Z'),
    otid: null,
    senderId: null,
    body,
    ...fields,
  };
}
