import { costOf, sumOfCosts } from '../../core/models/prices.js';
import type { Turn } from '../../schema/turns/records.js';
import { readCallbacks } from '../../schema/turns/callbacks.js';
import { usageByModel } from '../../schema/turns/turn-usage.js';
import type { RouteContext } from '../context.js';
import { toWireRun, type WireRun } from './runs-wire.js';

type Viewed = Pick<RouteContext, 'db' | 'settings'>;

/** Turns as the API shows them, with the state of their callbacks and what they cost. */
export async function viewRuns(context: Viewed, turns: readonly Turn[]): Promise<WireRun[]> {
  const asking = turns.filter(({ options }) => options.callbackUrl !== undefined).map(({ id }) => id);
  const callbacks = await readCallbacks(context.db, asking);
  const costs = await readCosts(context, turns);
  return turns.map((turn) => toWireRun(turn, callbacks.get(turn.id), costs.get(turn.id)));
}

/** One turn as the API shows it. */
export async function viewRun(context: Viewed, turn: Turn): Promise<WireRun> {
  const [shown] = await viewRuns(context, [turn]);
  return shown ?? toWireRun(turn, undefined, undefined);
}

/** What turns cost, of which all calls have a known cost. */
async function readCosts(
  { db, settings: { prices } }: Viewed,
  turns: readonly Turn[],
): Promise<ReadonlyMap<string, number | undefined>> {
  if (prices === undefined) return new Map();
  const used = await usageByModel(
    db,
    turns.map(({ id }) => id),
  );
  return new Map(
    [...used].map(([turnId, models]) => [
      turnId,
      sumOfCosts(
        models.map(({ model, usage, isWhole }) => (isWhole ? costOf(prices, model, usage) : undefined)),
      ),
    ]),
  );
}
