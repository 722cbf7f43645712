import type { Turn } from '../../schema/turns/records.js';
import { readCallbacks } from '../../schema/turns/callbacks.js';
import type { RouteContext } from '../context.js';
import { toWireRun, type WireRun } from './runs-wire.js';

/** Turns as the API shows them, with the state of their callbacks. */
export async function viewRuns({ db }: Pick<RouteContext, 'db'>, turns: readonly Turn[]): Promise<WireRun[]> {
  const asking = turns.filter(({ options }) => options.callbackUrl !== undefined).map(({ id }) => id);
  const callbacks = await readCallbacks(db, asking);
  return turns.map((turn) => toWireRun(turn, callbacks.get(turn.id)));
}

/** One turn as the API shows it. */
export async function viewRun(context: Pick<RouteContext, 'db'>, turn: Turn): Promise<WireRun> {
  const [shown] = await viewRuns(context, [turn]);
  return shown ?? toWireRun(turn, undefined);
}
