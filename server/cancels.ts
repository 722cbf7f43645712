import type { TurnFilter } from '../schema/turns.js';
import { listTurns } from '../schema/turns.js';
import type { RouteContext } from './context.js';
import { RequestRefusedError } from './problems.js';

/**
 * Cancels turns that wait or run: those named, else all that the filter finds. Returns what became of each, by its id.
 * Throws RequestRefusedError (409) where there is none.
 */
export async function cancelTurns(
  { db, turns }: Pick<RouteContext, 'db' | 'turns'>,
  filter: Pick<TurnFilter, 'agentIds' | 'threadId'>,
  named: readonly string[] | null | undefined,
): Promise<Record<string, string>> {
  const found = await listTurns(db, { ...filter, states: ['created', 'running'] }, {});
  const active = found.map((turn) => turn.id);
  const wanted = named ?? active;
  if (wanted.length === 0) {
    const whose = filter.threadId ?? filter.agentIds?.join(', ') ?? 'anybody';
    throw new RequestRefusedError(409, `No active runs to cancel for ${whose}.`);
  }
  const results = wanted.map(async (turnId): Promise<[string, string]> => {
    if (!active.includes(turnId)) return [turnId, 'failed'];
    const turn = await turns.cancel(turnId);
    return [turnId, turn.state === 'cancelled' ? 'cancelled' : 'failed'];
  });
  return Object.fromEntries(await Promise.all(results));
}
