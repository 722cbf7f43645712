import { MissingError } from '../db/caller-errors.js';

/** No such schedule. */
export class ScheduleNotFoundError extends MissingError {
  override readonly name = 'ScheduleNotFoundError';
  readonly scheduleId: string;

  constructor(scheduleId: string) {
    super(`Schedule with ID ${scheduleId} not found. List the schedules to see which there are.`);
    this.scheduleId = scheduleId;
  }
}
