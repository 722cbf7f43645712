import { randomUUID } from 'node:crypto';
import type { TurnError, TurnEvent } from '../../core/turns/events.js';
import type { MessageBody } from '../../core/threads/messages.js';
import type { StopReason } from '../../core/turns/stop-reasons.js';
import { type Db, inTransaction } from '../../schema/db/database.js';
import { settleTurn } from '../../schema/turns/settling.js';
import { lockThread } from '../../schema/threads/threads.js';
import { appendToTranscript, placeIncoming } from '../../schema/threads/transcript.js';
import { appendEvents } from '../../schema/turns/events.js';
import { requireTurn } from '../../schema/turns/turns.js';

const executionId = 'test';
export const answerId = (): string => `message-${randomUUID()}`;

/** Begins a turn, as a worker would: gives its incoming messages their positions. */
export async function beginTurn(db: Db, turnId: string): Promise<void> {
  const turn = await requireTurn(db, turnId);
  await inTransaction(db, async (tx) => {
    const thread = await lockThread(tx, turn.threadId);
    if (thread === undefined) throw new Error(`no thread ${turn.threadId}`);
    await placeIncoming(tx, thread, turnId);
    await tx
      .updateTable('turns')
      .set({ state: 'running', execution_id: executionId, started_at: new Date() })
      .where('id', '=', turnId)
      .execute();
  });
}

/** Appends events to the log of a running turn. */
export async function logEvents(db: Db, turnId: string, ...events: readonly TurnEvent[]): Promise<void> {
  if (!(await appendEvents(db, { turnId, executionId }, events))) throw new Error(`${turnId} does not run`);
}

/** Appends a message to the transcript of a running turn, and an event for it to the turn's log. */
export async function say(
  db: Db,
  turnId: string,
  message: { readonly id?: string; readonly body: MessageBody; readonly streamed?: boolean },
): Promise<void> {
  const turn = await requireTurn(db, turnId);
  const { id = answerId(), body, streamed = false } = message;
  await inTransaction(db, async (tx) => {
    const thread = await lockThread(tx, turn.threadId);
    if (thread === undefined) throw new Error(`no thread ${turn.threadId}`);
    await appendToTranscript(tx, thread, [
      {
        id,
        agentId: turn.agentId,
        threadId: turn.threadId,
        turnId,
        stepId: `step-${turnId.slice('run-'.length)}`,
        position: null,
        createdAt: new Date(),
        otid: null,
        senderId: null,
        body,
      },
    ]);
    await appendEvents(tx, { turnId, executionId }, [{ kind: 'message', messageId: id, streamed }]);
  });
}

/** A MemGPT agent's answer to the user. */
export function speech(text: string): MessageBody {
  return {
    kind: 'assistant',
    text: '',
    reasoning: 'I answer.',
    nativeReasoning: false,
    toolCalls: [{ id: 'c1', name: 'send_message', arguments: JSON.stringify({ message: text }) }],
  };
}

export async function endTurn(
  db: Db,
  turnId: string,
  stopReason: StopReason = 'end_turn',
  error?: TurnError,
): Promise<void> {
  await settleTurn(db, { turnId, stopReason, error });
}
