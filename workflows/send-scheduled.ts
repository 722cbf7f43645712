import { condition, workflowInfo } from '@temporalio/workflow';
import { quickly } from './activities.js';
import type { SendScheduledInput } from './protocol.js';
import { wake } from './waking.js';

/** How often the rows are asked whether the turn has ended, where nothing else tells. */
const patienceMs = 30_000;

/**
 * One time of a schedule that sends messages: stores the turn and wakes its agent. It stays until the turn has ended,
 * so that the schedule's overlap policy means the turn. Its workflow id names schedule and time, and so does the
 * turn's key: whatever is repeated, one time is one turn.
 */
export async function sendScheduled({ scheduleId }: SendScheduledInput): Promise<void> {
  const input = { scheduleId, key: workflowInfo().workflowId };
  for (;;) {
    const turn = await quickly('sendScheduled', input, { summary: 'store the scheduled turn' });
    if (turn === null || turn.isOver) return;
    const { ended } = await wake(turn.threadId);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await condition(() => isOver, patienceMs);
  }
}
