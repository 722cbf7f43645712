import { listTurns } from '../../schema/turns/turns.js';
import type { RouteContext } from '../context.js';
import { RequestRefusedError } from '../http/problems.js';

/** The turns to cancel: an agent's, in all its threads or in one. */
export interface Cancellation {
  readonly agentId: string;
  readonly threadId?: string;
  /** Absent: all that are queued or running. */
  readonly turnIds?: readonly string[] | null | undefined;
}

/**
 * Cancels queued and running turns, and calls that wait for an approval: those of the named turns, else all. Returns the
 * result for each turn, by its id. Throws RequestRefusedError (409) where there is nothing to cancel.
 */
export async function cancelTurns(
  context: Pick<RouteContext, 'db' | 'turns'>,
  { agentId, threadId, turnIds }: Cancellation,
): Promise<Record<string, string>> {
  const { db, turns } = context;
  const filter = threadId === undefined ? { agentIds: [agentId] } : { threadId };
  const found = await listTurns(db, { ...filter, states: ['created', 'running'] }, {});
  const active = new Set(found.map((turn) => turn.id));
  // Turns that are queued behind waiting calls are cancelled first: they would start once the calls are given up.
  const wanted = turnIds ?? [...active];
  const results = new Map<string, string>();
  for (const turnId of wanted) {
    const turn = active.has(turnId) ? await turns.cancel(turnId) : undefined;
    results.set(turnId, turn?.state === 'cancelled' ? 'cancelled' : 'failed');
  }
  for (const turnId of await turns.dropApprovals({ agentId, threadId, turnIds }))
    results.set(turnId, 'cancelled');
  if (results.size === 0) {
    throw new RequestRefusedError(409, `No active runs to cancel for ${threadId ?? agentId}.`);
  }
  return Object.fromEntries(results);
}
