import { CancellationScope, continueAsNew, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { ScheduledTurn } from '../activities/schedules/scheduled.js';
import { quickly } from './activities.js';
import type { SendScheduledInput } from './protocol.js';
import { wakeUntilOver } from './waking.js';

/**
 * One time of a schedule that sends messages: stores the turn and wakes its agent. It stays until the turn has ended,
 * so that the schedule's overlap policy means the turn: where it is cancelled, just this turn is. Its workflow id names
 * schedule and time, and so does the turn's key: whatever is repeated, one time is one turn.
 */
export async function sendScheduled({ scheduleId }: SendScheduledInput): Promise<void> {
  const input = { scheduleId, key: workflowInfo().workflowId };
  const find = (): Promise<ScheduledTurn | null> =>
    quickly('sendScheduled', input, { summary: 'store the scheduled turn' });
  // What is stored is known, so that it can be cancelled.
  const turn = await CancellationScope.nonCancellable(find);
  if (turn === null || turn.isOver) return;
  const { threadId, turnId } = turn;
  try {
    const ask = async () => ((await find())?.isOver === false ? 'waiting' : 'over');
    if ((await wakeUntilOver(threadId, ask)) === 'over') return;
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() =>
        quickly('cancelTurn', { threadId, turnId }, { summary: 'cancel the scheduled turn' }),
      );
    }
    throw error;
  }
  await continueAsNew<typeof sendScheduled>({ scheduleId });
}
