import type { Message, ToolResultBody } from '../../core/threads/messages.js';
import type { Effect } from './records.js';
import type { Thread } from '../threads/threads.js';

/**
 * The message with a tool call's result, for the end of the thread's transcript. Its id was assigned with the effect.
 */
export function toolResultMessage(
  thread: Pick<Thread, 'id' | 'agentId'>,
  effect: Effect,
  outcome: Omit<ToolResultBody, 'kind' | 'toolCallId' | 'toolName'>,
): Message {
  return {
    id: effect.resultMessageId,
    agentId: thread.agentId,
    threadId: thread.id,
    turnId: effect.turnId,
    stepId: effect.stepId,
    position: null,
    createdAt: new Date(),
    otid: null,
    senderId: null,
    body: { kind: 'tool', toolCallId: effect.call.id, toolName: effect.call.name, ...outcome },
  };
}
