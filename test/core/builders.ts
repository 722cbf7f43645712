import type { Message, MessageBody, ToolResultBody } from '../../core/threads/messages.js';
import type { ModelToolCall } from '../../core/models/model.js';
import type { CallOutcome, StepOutcome } from '../../core/turns/turn.js';

/** A message with a position, sent at noon on 1 January 2024, UTC. */
export function aMessage(body: MessageBody, more: Partial<Message> = {}): Message {
  return {
    id: 'message-1',
    agentId: 'agent-1',
    threadId: 'agent-1',
    turnId: 'turn-1',
    stepId: null,
    position: 1,
    createdAt: new Date('2024-01-01T12:00:00Z'),
    otid: null,
    senderId: null,
    body,
    ...more,
  };
}

export function user(text: string, name?: string): MessageBody {
  const content = [{ type: 'text', text } as const];
  return name === undefined ? { kind: 'user', content } : { kind: 'user', content, name };
}

export function assistant(more: Partial<Extract<MessageBody, { kind: 'assistant' }>> = {}): MessageBody {
  return { kind: 'assistant', text: '', reasoning: '', nativeReasoning: false, toolCalls: [], ...more };
}

export function call(id: string, name = 'send_message', args: unknown = {}): ModelToolCall {
  return { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

export function result(toolCallId: string, more: Partial<ToolResultBody> = {}): MessageBody {
  return { kind: 'tool', toolCallId, toolName: 'send_message', status: 'success', content: 'done', ...more };
}

/** A step of a MemGPT loop without calls, well below the step limit. */
export function aStep(more: Partial<StepOutcome> = {}): StepOutcome {
  return {
    style: 'tools',
    stepIndex: 0,
    maxSteps: 50,
    rules: [],
    calls: [],
    earlierCalls: [],
    hasText: false,
    finishReason: 'tool_calls',
    consecutiveBadAnswers: 0,
    ...more,
  };
}

/** A successful call that did not request a heartbeat. */
export function called(name: string, more: Partial<CallOutcome> = {}): CallOutcome {
  return { name, requestedHeartbeat: false, status: 'success', ...more };
}
