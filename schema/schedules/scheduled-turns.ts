import { derivedId } from '../../core/ids.js';
import { type Db, inTransaction } from '../db/database.js';
import { enqueueTurn } from '../turns/deliveries.js';
import { ScheduleNotFoundError } from './errors.js';
import { ThreadNotFoundError } from '../threads/errors.js';
import type { Turn } from '../turns/records.js';
import { markFired, requireSchedule } from './schedules.js';

/**
 * Stores the turn for one time of a schedule, once: `key` identifies schedule and time. A one-time schedule gets a
 * single turn, whatever triggered it. Undefined where the schedule or its agent is gone.
 */
export async function enqueueScheduled(
  db: Db,
  due: { readonly scheduleId: string; readonly key: string },
): Promise<Turn | undefined> {
  try {
    return await inTransaction(db, async (tx) => {
      const { scheduleId } = due;
      const schedule = await requireSchedule(tx, scheduleId);
      const key = schedule.timing.kind === 'once' ? scheduleId : due.key;
      const { turn, repeated } = await enqueueTurn(tx, {
        turnId: derivedId('run', scheduleId, key),
        deliveryId: derivedId('delivery', scheduleId, key),
        threadId: schedule.agentId,
        kind: 'schedule',
        messages: schedule.messages.map((message, index) => ({
          ...message,
          id: derivedId('message', scheduleId, key, index),
          createdAt: new Date(),
        })),
        options: schedule.options,
        requestKey: key,
        requestHash: null,
        joinWithinMs: 0,
        steer: false,
      });
      if (!repeated) await markFired(tx, scheduleId);
      return turn;
    });
  } catch (error) {
    if (error instanceof ScheduleNotFoundError || error instanceof ThreadNotFoundError) return undefined;
    throw error;
  }
}
