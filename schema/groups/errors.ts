import { ClashError, MissingError, UnfitError } from '../db/caller-errors.js';

/** No such group. */
export class GroupNotFoundError extends MissingError {
  override readonly name = 'GroupNotFoundError';
  readonly groupId: string;

  constructor(groupId: string) {
    super(`Group with ID ${groupId} not found. List the groups to see which there are.`);
    this.groupId = groupId;
  }
}

/** An agent's memory is refined by one group alone. */
export class SleepTimeTakenError extends ClashError {
  override readonly name = 'SleepTimeTakenError';
  readonly agentId: string;

  constructor(agentId: string) {
    super(
      `Agent ${agentId} has a sleep-time group already. Change that one: list the groups with its manager_agent_id.`,
    );
    this.agentId = agentId;
  }
}

/** A group in which no agent refines another's memory. */
export class NoPartnerError extends UnfitError {
  override readonly name = 'NoPartnerError';
  readonly groupId: string;

  constructor(groupId: string) {
    super(
      `Group ${groupId} has no partner that could refine memory: only groups of type sleeptime have one.`,
    );
    this.groupId = groupId;
  }
}
