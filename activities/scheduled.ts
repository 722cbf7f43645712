import type { Db } from '../schema/database.js';
import { enqueueScheduled } from '../schema/scheduled-turns.js';

export interface ScheduledInput {
  readonly scheduleId: string;
  /** Names the schedule and the time: asked again, the same turn is given. */
  readonly key: string;
}

/** A schedule's turn. */
export interface ScheduledTurn {
  readonly threadId: string;
  readonly isOver: boolean;
}

/** What schedules send. */
export function scheduleActivities({ db }: { readonly db: Db }) {
  return {
    /** The turn of one of the schedule's times, stored the first time; null where the schedule is gone. */
    async sendScheduled(input: ScheduledInput): Promise<ScheduledTurn | null> {
      const turn = await enqueueScheduled(db, input);
      if (turn === undefined) return null;
      return { threadId: turn.threadId, isOver: turn.state !== 'created' && turn.state !== 'running' };
    },
  };
}
