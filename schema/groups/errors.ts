import { ClashError, MissingError, NotFoundError, UnfitError } from '../db/errors.js';

/** No such group. */
export class GroupNotFoundError extends NotFoundError {
  constructor(groupId: string) {
    super('Group', groupId, 'List the groups to see which there are.');
  }
}

/** Another group refines this agent's memory. */
export class SleepTimeTakenError extends ClashError {
  readonly agentId: string;

  constructor(agentId: string) {
    super(
      `Agent ${agentId} has a sleep-time group already. Change that one: list the groups with its manager_agent_id.`,
    );
    this.agentId = agentId;
  }
}

/** The group has no partner that refines memory. */
export class NoPartnerError extends UnfitError {
  readonly groupId: string;

  constructor(groupId: string) {
    super(`Group ${groupId} has no partner to refine memory: only groups of type sleeptime have one.`);
    this.groupId = groupId;
  }
}

/** The talk is gone: its group was deleted. */
export class TalkNotFoundError extends MissingError {
  readonly talkId: string;

  constructor(talkId: string) {
    super(
      `The group was deleted while its agents talked (${talkId}). What they said is in their own messages.`,
    );
    this.talkId = talkId;
  }
}

/** The group has no agent that could answer. */
export class EmptyGroupError extends UnfitError {
  readonly groupId: string;

  constructor(groupId: string) {
    super(
      `Group ${groupId} has no agents that could answer. Set its agent_ids with PATCH /v1/groups/${groupId}.`,
    );
    this.groupId = groupId;
  }
}
