import { advanceTalks } from '../../schema/groups/talk-progress.js';
import type { ActivityDeps } from '../deps.js';
import { defaultReplyTimeoutMs } from '../tools/agents.js';

/** A group whose talks may continue. */
export interface AdvanceInput {
  readonly groupId: string;
}

/** The turn that a group's talk waits for. Only ids and numbers, because it is written to the workflow's history. */
export interface TalkVerdict {
  readonly turnId: string;
  /** How long to wait for it, in ms. */
  readonly waitMs: number;
}

/** Talks of groups. */
export function talkActivities({
  db,
  waker,
  replyTimeoutMs = defaultReplyTimeoutMs,
}: Pick<ActivityDeps, 'db' | 'waker' | 'replyTimeoutMs'>) {
  return {
    /** Stores the group's next turn once the awaited one has ended, and wakes its agent; null where nothing waits. */
    async advanceTalks({ groupId }: AdvanceInput): Promise<TalkVerdict | null> {
      const { awaited, wake } = await advanceTalks(db, groupId, replyTimeoutMs);
      for (const agentId of wake) await waker.ring({ threadId: agentId, agentId });
      return awaited === null ? null : { turnId: awaited.turnId, waitMs: Math.ceil(awaited.waitMs) };
    },
  };
}
