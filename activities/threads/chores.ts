import { inTransaction, type Tx } from '../../schema/db/database.js';
import { forgetTalks } from '../../schema/groups/talk-forgetting.js';
import { editedBody, replaceBody, resetThread } from '../../schema/threads/chores.js';
import { lockThread, type Thread } from '../../schema/threads/threads.js';
import { holdFence } from '../../schema/turns/fences.js';
import type { TurnOptions } from '../../schema/turns/records.js';
import type { ActivityDeps } from '../deps.js';
import { fenced } from '../failures.js';
import { currentExecution } from '../keep-alive.js';

/** A turn that does a chore. */
export interface ChoreInput {
  readonly threadId: string;
  readonly turnId: string;
}

/** Chores of turns, except compaction, which is an eviction. */
export function choreActivities({ db }: Pick<ActivityDeps, 'db'>) {
  return {
    /** Does the chore that the turn's options name. Harmless when repeated. Throws Turn.Fenced. */
    async doChore({ threadId, turnId }: ChoreInput): Promise<{ readonly done: boolean }> {
      const fence = { turnId, executionId: currentExecution() };
      return inTransaction(db, async (tx) => {
        const [thread, options] = await Promise.all([lockThread(tx, threadId), holdFence(tx, fence)]);
        if (thread === undefined || options === undefined) throw fenced();
        return { done: await doChore(tx, thread, options) };
      });
    },
  };
}

async function doChore(tx: Tx, thread: Thread, { chore }: TurnOptions): Promise<boolean> {
  switch (chore?.kind) {
    case 'reset':
      await resetThread(tx, thread);
      return true;
    case 'edit': {
      const body = await editedBody(tx, thread.id, chore);
      if (body === undefined) return false;
      await replaceBody(tx, chore.messageId, body);
      return true;
    }
    case 'forget':
      await forgetTalks(tx, thread, chore.groupId);
      return true;
    case 'hear':
      // The claim already placed its messages in the transcript.
      return true;
    case 'compact':
    case undefined:
      return false;
  }
}
