import { derivedId } from '../../core/ids.js';
import type { Message, MessageBody } from '../../core/threads/messages.js';
import type { HeartbeatReason } from '../../core/turns/turn.js';
import type { StepAttempt } from '../../schema/turns/step-writes.js';

/** A model call of a turn, for the workflow: ids, numbers, names. */
export interface StepInput {
  readonly threadId: string;
  readonly turnId: string;
  readonly agentId: string;
  /** From 0. */
  readonly index: number;
  /** Why the agent got this step; null: it is the first. */
  readonly reason: HeartbeatReason | null;
  /** Whether eviction can do no more, so that messages must be shortened instead of reporting pressure again. */
  readonly mustFit: boolean;
}

/** The step's id, which is derived from its place in the turn. */
export function stepIdOf(input: Pick<StepInput, 'turnId' | 'index'>): string {
  return derivedId('step', input.turnId, input.index);
}

/** The next attempt of the step, or its first. */
export function attemptOf(
  { turnId, index }: Pick<StepInput, 'turnId' | 'index'>,
  earlier: Pick<StepAttempt, 'attempt'> | undefined,
): StepAttempt {
  return { id: stepIdOf({ turnId, index }), turnId, index, attempt: (earlier?.attempt ?? 0) + 1 };
}

/** A message of this step, at the end of its thread. */
export function messageOf(
  input: Pick<StepInput, 'agentId' | 'threadId' | 'turnId' | 'index'>,
  id: string,
  body: MessageBody,
): Message {
  return {
    id,
    agentId: input.agentId,
    threadId: input.threadId,
    turnId: input.turnId,
    stepId: stepIdOf(input),
    position: null,
    createdAt: new Date(),
    otid: null,
    senderId: null,
    body,
  };
}

/** The id of the message of a step's attempt. Each attempt has its own, because a broken one may have streamed. */
export function answerId(turnId: string, index: number, attempt: number): string {
  return derivedId('message', turnId, index, 'answer', attempt);
}
