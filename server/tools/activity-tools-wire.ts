import { z } from 'zod';
import { type ActivityTarget, longestCallMs, taskQueueFault } from '../../core/tools/activity-tools.js';
import { int32 } from '../http/fields-wire.js';

const duration = int32.min(1000).max(longestCallMs);

/** The activity that a tool calls. Times are in ms. */
export const activityField = z
  .strictObject({
    task_queue: z.string().superRefine((taskQueue, context) => {
      const message = taskQueueFault(taskQueue);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
    name: z.string().min(1).max(200),
    schedule_to_start_ms: duration.default(60_000),
    start_to_close_ms: duration.default(60_000),
    heartbeat_timeout_ms: duration.nullish(),
    maximum_attempts: z.int().min(1).max(100).default(1),
  })
  .meta({ id: 'ToolActivity' });

/** The activity as the API shows it. */
export const wireActivity = z.object({
  task_queue: z.string(),
  name: z.string(),
  schedule_to_start_ms: z.number(),
  start_to_close_ms: z.number(),
  heartbeat_timeout_ms: z.number().nullable(),
  maximum_attempts: z.number(),
});

export function fromWireActivity(field: z.infer<typeof activityField>): ActivityTarget {
  return {
    taskQueue: field.task_queue,
    name: field.name,
    scheduleToStartMs: field.schedule_to_start_ms,
    startToCloseMs: field.start_to_close_ms,
    keepAliveMs: field.heartbeat_timeout_ms ?? null,
    attempts: field.maximum_attempts,
  };
}

export function toWireActivity(target: ActivityTarget): z.infer<typeof wireActivity> {
  return {
    task_queue: target.taskQueue,
    name: target.name,
    schedule_to_start_ms: target.scheduleToStartMs,
    start_to_close_ms: target.startToCloseMs,
    heartbeat_timeout_ms: target.keepAliveMs,
    maximum_attempts: target.attempts,
  };
}
