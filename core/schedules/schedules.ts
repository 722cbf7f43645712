import type { MessageBody } from '../threads/messages.js';

/** What happens when a schedule is due while its last action still runs. */
export const overlapPolicies = [
  'skip',
  'buffer_one',
  'buffer_all',
  'cancel_other',
  'terminate_other',
  'allow_all',
] as const;

/** What happens at a time at which the one before still runs. */
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
      /** Each time is delayed by a random part of this, in ms. */
      readonly jitterMs: number;
      readonly overlap: OverlapPolicy;
      /** A missed time is made up for within this many ms. */
      readonly catchupMs: number;
    };

/** How long a missed one-time schedule is made up for, in ms, so that an outage loses no message. */
export const onceCatchupMs = 365 * 24 * 60 * 60 * 1000;

/** A message that a schedule sends each time. */
export interface ScheduledMessage {
  readonly body: MessageBody;
  readonly otid: string | null;
  readonly senderId: string | null;
}

/**
 * Expressions whose union equals a five-field cron: if both days of the month and of the week are set, either
 * matches.
 */
export function cronUnion(cron: string): string[] {
  const [minute, hour, dayOfMonth = '*', month, dayOfWeek = '*'] = cron.trim().split(/\s+/);
  if (dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*')) return [cron.trim()];
  return [`${minute} ${hour} ${dayOfMonth} ${month} *`, `${minute} ${hour} * ${month} ${dayOfWeek}`];
}
