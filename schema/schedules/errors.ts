import { NotFoundError } from '../db/errors.js';

/** No such schedule. */
export class ScheduleNotFoundError extends NotFoundError {
  constructor(scheduleId: string) {
    super('Schedule', scheduleId, 'List the schedules to see which there are.');
  }
}
