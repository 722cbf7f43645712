import { WorldFailure } from '../../core/failures.js';
import type { Db } from '../../schema/db/database.js';
import { getAgent } from '../../schema/agents/agents.js';
import { sleepTimeGroupOf } from '../../schema/groups/groups.js';
import { closeRefinement, type Closing } from '../../schema/refinement/closing.js';
import { openRefinement, type Opened } from '../../schema/refinement/opening.js';
import { requestRefinement } from '../../schema/refinement/requests.js';
import { getRefinement, roundTurnId } from '../../schema/refinement/refinements.js';
import { cancelTurn } from '../turns/cancel-turn.js';
import type { ActivityDeps } from '../deps.js';

export interface OpenInput {
  readonly partnerId: string;
  /** Made by the workflow: opening twice opens one. */
  readonly refinementId: string;
  /** Set where a schedule started the workflow: the request that it stands for. */
  readonly scheduledAs?: string | undefined;
}

export interface CloseInput {
  readonly refinementId: string;
}

/** A partner's model that can't be described is taken to have a window of this many tokens. */
const unknownWindow = 16_000;

/** Beginning and ending refinements. What happens between is the partner's own turn. */
export function refinementActivities(deps: Pick<ActivityDeps, 'db' | 'models' | 'waker'>) {
  const { db } = deps;
  return {
    /** The partner's next refinement, or the one under way; null where nothing is to be done. */
    async openRefinement({ partnerId, refinementId, scheduledAs }: OpenInput): Promise<Opened | null> {
      if (scheduledAs !== undefined) await requestScheduled(db, partnerId, scheduledAs);
      const window = await windowOf(deps, partnerId);
      const opened = await openRefinement(db, { partnerId, refinementId, window });
      return opened === undefined ? null : { id: opened.id, round: opened.round };
    },

    /** Merges what the partner's turn left on its branches, moves the watermark and ends the refinement, at once. */
    closeRefinement: ({ refinementId }: CloseInput): Promise<Closing> => closeRefinement(db, refinementId),

    /** Cancels the partner's turn of a refinement that runs, and ends the refinement, which has then failed. */
    async cancelRefinement({ refinementId }: CloseInput): Promise<void> {
      const refinement = await getRefinement(db, refinementId);
      if (refinement?.state !== 'running') return;
      const { partnerId: threadId, round } = refinement;
      await cancelTurn(deps, { threadId, turnId: roundTurnId(refinementId, round) });
      await closeRefinement(db, refinementId);
    },
  };
}

async function requestScheduled(db: Db, partnerId: string, requestId: string): Promise<void> {
  const group = await sleepTimeGroupOf(db, partnerId);
  if (group !== undefined)
    await requestRefinement(db, { id: requestId, groupId: group.id, partnerId, cause: 'schedule' });
}

async function windowOf(
  { db, models }: Pick<ActivityDeps, 'db' | 'models'>,
  partnerId: string,
): Promise<number> {
  const partner = await getAgent(db, partnerId);
  try {
    return partner?.contextWindow ?? models.resolve(partner?.model ?? '').description.contextWindow;
  } catch (error) {
    // Its turn will say what is wrong with the model.
    if (error instanceof WorldFailure) return unknownWindow;
    throw error;
  }
}
