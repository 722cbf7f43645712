import type { MessageBody } from '../threads/messages.js';

/** What becomes of a time that comes while what an earlier one started still runs. */
export const overlapPolicies = [
  'skip',
  'buffer_one',
  'buffer_all',
  'cancel_other',
  'terminate_other',
  'allow_all',
] as const;

export type OverlapPolicy = (typeof overlapPolicies)[number];

/** When a schedule is due. */
export type Timing =
  | { readonly kind: 'once'; readonly at: string }
  | {
      readonly kind: 'cron';
      /** Five fields: minute, hour, day of the month, month, day of the week. */
      readonly cron: string;
      /** IANA name. */
      readonly timezone: string;
      /** Each time is moved by a random part of this, in ms. */
      readonly jitterMs: number;
      readonly overlap: OverlapPolicy;
      /** Times that were missed by no more than this, in ms, are made up for. */
      readonly catchupMs: number;
    };

/** Longest time by which a missed one-time schedule is made up for, in ms: a message must not get lost in an outage. */
export const onceCatchupMs = 365 * 24 * 60 * 60 * 1000;

/** A message that a schedule sends each time. */
export interface ScheduledMessage {
  readonly body: MessageBody;
  readonly otid: string | null;
  readonly senderId: string | null;
}

/** The expressions whose union is what a five-field cron means: days of the month or of the week, where both are named. */
export function cronUnion(cron: string): string[] {
  const [minute, hour, dayOfMonth = '*', month, dayOfWeek = '*'] = cron.trim().split(/\s+/);
  if (dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*')) return [cron.trim()];
  return [`${minute} ${hour} ${dayOfMonth} ${month} *`, `${minute} ${hour} * ${month} ${dayOfWeek}`];
}
