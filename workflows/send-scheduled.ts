import { CancellationScope, continueAsNew, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { ScheduledTurn } from '../activities/schedules/scheduled.js';
import { quickly } from './activities.js';
import type { SendScheduledInput } from './protocol.js';
import { wakeUntilOver } from './waking.js';

/**
 * One time of a schedule that sends messages: stores the turn, wakes its agent, and waits for the turn's end, so that
 * the schedule's overlap policy applies to the turn. Cancelling it cancels this turn only. Its workflow id and the
 * turn's key name schedule and time, so that repetitions never make a second turn.
 */
export async function sendScheduled({ scheduleId }: SendScheduledInput): Promise<void> {
  const input = { scheduleId, key: workflowInfo().workflowId };
  const find = (): Promise<ScheduledTurn | null> =>
    quickly('sendScheduled', input, { summary: 'store the scheduled turn' });
  // Not cancellable, because a stored turn must be known to be cancelled.
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
