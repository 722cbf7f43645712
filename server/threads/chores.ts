import type { Chore } from '../../core/turns/chores.js';
import type { RouteContext } from '../context.js';
import { RequestRefusedError } from '../http/problems.js';

/**
 * Has a thread do something between its turns, and waits until it is done. Throws ThreadNotFoundError, and
 * RequestRefusedError (409) where its turn was cancelled or failed.
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
    `Run ${turn.id}, which was to ${chore.kind} ${threadId}, ended as ${ended.state}.${why} Ask for it again.`,
  );
}
