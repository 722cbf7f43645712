import { advanceTalks } from '../../schema/groups/talk-progress.js';
import type { ActivityDeps } from '../deps.js';
import { defaultReplyTimeoutMs } from '../tools/agents.js';

/** A group whose talks may go on. */
export interface AdvanceInput {
  readonly groupId: string;
}

/** The turn that a group's talk waits for. Ids and numbers: it is written to the workflow's history. */
export interface TalkVerdict {
  readonly turnId: string;
  /** How long it is still waited for, in ms. */
  readonly waitMs: number;
}

/** Groups that converse. */
export function talkActivities({
  db,
  waker,
  replyTimeoutMs = defaultReplyTimeoutMs,
}: Pick<ActivityDeps, 'db' | 'waker' | 'replyTimeoutMs'>) {
  return {
    /** Gives the group's next turn, once what it waited for has ended, and wakes its agent; null where nothing waits. */
    async advanceTalks({ groupId }: AdvanceInput): Promise<TalkVerdict | null> {
      const { awaited, wake } = await advanceTalks(db, groupId, replyTimeoutMs);
      for (const agentId of wake) await waker.ring({ threadId: agentId, agentId });
      return awaited === null ? null : { turnId: awaited.turnId, waitMs: Math.ceil(awaited.waitMs) };
    },
  };
}
