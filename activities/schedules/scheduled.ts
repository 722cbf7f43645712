import { enqueueScheduled } from '../../schema/schedules/scheduled-turns.js';
import { type CancelInput, cancelTurn } from '../turns/cancel-turn.js';
import type { ActivityDeps } from '../deps.js';

export interface ScheduledInput {
  readonly scheduleId: string;
  /** Identifies the schedule and the time: a repeated call returns the same turn. */
  readonly key: string;
}

/** A schedule's turn. */
export interface ScheduledTurn {
  readonly turnId: string;
  readonly threadId: string;
  readonly isOver: boolean;
}

/** Messages of schedules. */
export function scheduleActivities({ db, waker }: Pick<ActivityDeps, 'db' | 'waker'>) {
  return {
    /** The turn for one of the schedule's times, which is stored if needed; null where the schedule is gone. */
    async sendScheduled(input: ScheduledInput): Promise<ScheduledTurn | null> {
      const turn = await enqueueScheduled(db, input);
      if (turn === undefined) return null;
      const isOver = turn.state !== 'created' && turn.state !== 'running';
      return { turnId: turn.id, threadId: turn.threadId, isOver };
    },

    /** Cancels a schedule's turn if it has not ended. */
    cancelTurn: (input: CancelInput): Promise<void> => cancelTurn({ db, waker }, input),
  };
}
