import type { Chore } from '../../core/turns/chores.js';
import type { RouteContext } from '../context.js';
import { RequestRefusedError } from '../http/problems.js';

/**
 * Gives a thread a chore, which it does between its turns, and waits for its end. Throws ThreadNotFoundError, and
 * RequestRefusedError (409) where the chore was cancelled or failed.
 */
export async function doChore(
  { turns }: Pick<RouteContext, 'turns'>,
  threadId: string,
  chore: Chore,
): Promise<void> {
  const { turn } = await turns.send({ threadId, messages: [], options: { chore } });
  const ended = await turns.result(turn.id);
  if (ended.state === 'completed') return;
  const why = ended.error === null ? '' : ` ${ended.error.message}`;
  throw new RequestRefusedError(
    409,
    `The ${chore.kind} of ${threadId} (run ${turn.id}) ended as ${ended.state}.${why} Send the request again.`,
  );
}
