import { ApplicationFailure } from '@temporalio/common';
import { callbackError, judgeCallback } from '../../core/turns/callbacks.js';
import { readCallbacks, storeAttempt } from '../../schema/turns/callbacks.js';
import { getTurn } from '../../schema/turns/turns.js';
import type { ActivityDeps } from '../deps.js';
import { keepingAlive } from '../keep-alive.js';

/** A turn whose end must be reported. */
export interface ReportInput {
  readonly turnId: string;
}

/** Reports of turns' ends to callback URLs. */
export function reportActivities({ db, callbacks }: Pick<ActivityDeps, 'db' | 'callbacks'>) {
  return {
    /**
     * Makes one attempt to report, with the same body each time. Throws Callback.Failed where it should be retried;
     * the run shows the attempt's outcome. Does nothing where the report is finished or its turn was purged.
     */
    async callBack({ turnId }: ReportInput): Promise<void> {
      const [turn, found] = await Promise.all([getTurn(db, turnId), readCallbacks(db, [turnId])]);
      const url = turn?.options.callbackUrl;
      if (turn === undefined || url === undefined || found.get(turnId)?.state !== 'waiting') return;
      const answer = await keepingAlive((signal) => callbacks.post(url, { ...turn, turnId }, signal));
      const verdict = judgeCallback(answer, Date.now() - (turn.completedAt ?? turn.createdAt).getTime());
      await storeAttempt(db, turnId, {
        state: verdict === 'again' ? 'waiting' : verdict,
        statusCode: answer.kind === 'answered' ? answer.status : null,
        error: callbackError(answer),
      });
      if (verdict === 'again') {
        throw ApplicationFailure.create({
          type: 'Callback.Failed',
          message: 'No server accepted the report.',
        });
      }
    },
  };
}
