import { proxyActivities } from '@temporalio/workflow';
import { callTimeMs, retryPauseMs } from '../core/tools/activity-tools.js';
import type { ActivityToolInput } from './protocol.js';

type AnyActivities = Record<string, (args: Readonly<Record<string, unknown>>) => Promise<unknown>>;

/**
 * Calls an activity of a user's own worker for one effect, under the effect's id, so that a repeated request finds
 * this execution instead of making a second call. The only workflow whose history holds content: the activity's
 * arguments and its result.
 */
export async function activityTool({ target, args }: ActivityToolInput): Promise<unknown> {
  const { name, taskQueue, keepAliveMs } = target;
  const activities = proxyActivities<AnyActivities>({
    taskQueue,
    scheduleToStartTimeout: target.scheduleToStartMs,
    startToCloseTimeout: target.startToCloseMs,
    scheduleToCloseTimeout: callTimeMs(target),
    ...(keepAliveMs === null ? {} : { heartbeatTimeout: keepAliveMs }),
    retry: { maximumAttempts: target.attempts, initialInterval: '1s', maximumInterval: retryPauseMs },
    summary: name,
  });
  return activities[name]?.(args);
}
