import { type ActivityTarget, longestArguments, toActivityOutcome } from '../../core/tools/activity-tools.js';
import { getTurn } from '../../schema/turns/turns.js';
import type { ActivityDeps } from '../deps.js';
import { type OutsideTool, refused, type ToolOutcome } from './outcome.js';

/**
 * Calls an activity of a user's own worker. The call has the effect's id, so that a second try waits for the first
 * one's end. It is cancelled if its turn ends, but goes on if only this worker stops.
 */
export async function callActivity(
  { db, activityCalls }: Pick<ActivityDeps, 'db' | 'activityCalls'>,
  target: ActivityTarget,
  { effect, start, signal }: Parameters<OutsideTool['run']>[0],
): Promise<ToolOutcome> {
  const { id: effectId, arguments: args, call, turnId } = effect;
  const bytes = Buffer.byteLength(JSON.stringify(args));
  if (bytes > longestArguments) return refused(tooLong(call.name, bytes));
  await start();
  try {
    const end = await activityCalls.call({ effectId, target, args, signal });
    return toActivityOutcome(call.name, target, end);
  } catch (error) {
    if (!signal.aborted) throw error;
    if ((await getTurn(db, turnId))?.state !== 'running') await activityCalls.cancel(effectId);
    throw signal.reason;
  }
}

function tooLong(tool: string, bytes: number): string {
  return `${tool} was not called: its arguments have ${bytes} bytes, but at most ${longestArguments} are allowed. Call it with shorter ones.`;
}
