import { z } from 'zod';
import { overlapPolicies, type Timing } from '../../core/schedules/schedules.js';
import { int32 } from '../http/fields-wire.js';

/** A cron. The fields besides the expression are not Letta's and have defaults. */
export const cronFields = {
  cron_expression: z.string().min(1),
  timezone: z.string().min(1).nullish(),
  jitter_seconds: int32.min(0).nullish(),
  overlap: z.enum(overlapPolicies).nullish(),
  catchup_window_seconds: int32.min(10).nullish(),
};

/** Changes of a cron; absent fields stay as they are. */
export const cronChange = z.object(cronFields).partial();

const defaultCatchupSeconds = 600;

/** The timing that a request describes. `overlap`: the policy for a request that names none. */
export function fromCron(
  body: z.infer<z.ZodObject<typeof cronFields>>,
  overlap: (typeof overlapPolicies)[number],
): Extract<Timing, { kind: 'cron' }> {
  return {
    kind: 'cron',
    cron: body.cron_expression.trim(),
    timezone: body.timezone ?? 'UTC',
    jitterMs: (body.jitter_seconds ?? 0) * 1_000,
    overlap: body.overlap ?? overlap,
    catchupMs: (body.catchup_window_seconds ?? defaultCatchupSeconds) * 1_000,
  };
}

/** The timing with the changes of a request; undefined where it changes nothing of it. */
export function changedCron(timing: Timing, body: z.infer<typeof cronChange>): Timing | undefined {
  const isNamed = Object.keys(cronFields).some((field) => body[field as keyof typeof cronFields] != null);
  if (!isNamed || timing.kind !== 'cron') return undefined;
  return fromCron(
    {
      cron_expression: body.cron_expression ?? timing.cron,
      timezone: body.timezone ?? timing.timezone,
      jitter_seconds: body.jitter_seconds ?? timing.jitterMs / 1_000,
      overlap: body.overlap ?? timing.overlap,
      catchup_window_seconds: body.catchup_window_seconds ?? timing.catchupMs / 1_000,
    },
    timing.overlap,
  );
}

/** A cron with all its fields. */
type WireCron = { [Field in keyof typeof cronFields]-?: NonNullable<z.infer<(typeof cronFields)[Field]>> };

/** A cron as the API shows it. */
export function toWireCron(timing: Extract<Timing, { kind: 'cron' }>): WireCron {
  return {
    cron_expression: timing.cron,
    timezone: timing.timezone,
    jitter_seconds: timing.jitterMs / 1_000,
    overlap: timing.overlap,
    catchup_window_seconds: timing.catchupMs / 1_000,
  };
}
