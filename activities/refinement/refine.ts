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
  /** Chosen by the workflow, so that repeated opening opens one refinement. */
  readonly refinementId: string;
  /** Set where a schedule started the workflow: the id of its request. */
  readonly scheduledAs?: string | undefined;
}

export interface CloseInput {
  readonly refinementId: string;
}

/** The window, in tokens, of a partner whose model can't be described. */
const unknownWindow = 16_000;

/** Opens and closes refinements. In between, the partner's own turn does the work. */
export function refinementActivities(deps: Pick<ActivityDeps, 'db' | 'models' | 'waker'>) {
  const { db } = deps;
  return {
    /** The partner's next or running refinement; null where there is no work. */
    async openRefinement({ partnerId, refinementId, scheduledAs }: OpenInput): Promise<Opened | null> {
      if (scheduledAs !== undefined) await requestScheduled(db, partnerId, scheduledAs);
      const window = await windowOf(deps, partnerId);
      const opened = await openRefinement(db, { partnerId, refinementId, window });
      return opened === undefined ? null : { id: opened.id, round: opened.round };
    },

    /** Merges the branches of the partner's turn, moves the watermark and ends the refinement, in one transaction. */
    closeRefinement: ({ refinementId }: CloseInput): Promise<Closing> => closeRefinement(db, refinementId),

    /** Cancels the partner's turn of a running refinement and ends the refinement as failed. */
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
    // The partner's turn will report what is wrong with the model.
    if (error instanceof WorldFailure) return unknownWindow;
    throw error;
  }
}
