import { Cron } from 'croner';
import type { Timing } from '../core/schedules/schedules.js';
import { isTimezone } from '../core/times.js';
import { UnfitError } from '../schema/db/errors.js';

/** Thrown for a timing that never comes or can't be read. The message is for the user and says what to do. */
class TimingError extends UnfitError {
  /** The field at fault, as `Timing` names it. */
  readonly field: 'at' | 'cron' | 'timezone';

  constructor(field: TimingError['field'], message: string) {
    super(message);
    this.field = field;
  }
}

/** The last year of Temporal's calendars. */
const lastYear = 2100;

/** Throws TimingError where the timing will never be due. */
export function checkTiming(timing: Timing, now: Date): void {
  if (timing.kind === 'once') {
    const at = new Date(timing.at);
    if (Number.isNaN(at.getTime())) throw new TimingError('at', `${timing.at} is not a time.`);
    if (at <= now) {
      const said = `${timing.at} is in the past: it is ${now.toISOString()}. Give a future time, in ms since 1970.`;
      throw new TimingError('at', said);
    }
    if (at.getUTCFullYear() > lastYear) {
      throw new TimingError(
        'at',
        `${timing.at} is too far away: the last year of a schedule is ${lastYear}.`,
      );
    }
    return;
  }
  if (!isTimezone(timing.timezone)) {
    const said = `${timing.timezone} is not a time zone. Give one of the IANA database, such as Europe/Berlin.`;
    throw new TimingError('timezone', said);
  }
  const fault = cronFault(timing.cron);
  if (fault !== null) throw new TimingError('cron', `'${timing.cron}' ${fault}`);
  if (nextTimes(timing, now, 1).length === 0) {
    throw new TimingError(
      'cron',
      `'${timing.cron}' never comes: there is no such date. Change its day or its month.`,
    );
  }
}

/** The next times of a timing after a moment, without jitter. */
export function nextTimes(timing: Timing, after: Date, count: number): Date[] {
  if (timing.kind === 'once') {
    const at = new Date(timing.at);
    return at > after ? [at] : [];
  }
  return cronOf(timing.cron, timing.timezone).nextRuns(count, after);
}

const usage =
  'Give five fields: minute, hour, day of the month, month, day of the week, such as 0 9 * * 1-5.';

/** Why Temporal and we would not read the expression alike; null where we do. */
function cronFault(cron: string): string | null {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== 5) return `has ${fields.length} fields. ${usage}`;
  const odd = fields
    .flatMap((field) => field.split(/[,/-]/))
    .find((part) => !/^(\d+|\*|[A-Za-z]{3})$/.test(part));
  if (odd !== undefined) return `can't be read at '${odd}'. ${usage}`;
  try {
    cronOf(cron, 'UTC');
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^\w+: /, '') : '';
    return `can't be read (${reason}). ${usage}`;
  }
}

function cronOf(cron: string, timezone: string): Cron {
  return new Cron(cron.trim(), { timezone, mode: '5-part', paused: true });
}
