import { MissingError, UnfitError } from '../db/caller-errors.js';

/** No such talk: its group was deleted. */
export class TalkNotFoundError extends MissingError {
  override readonly name = 'TalkNotFoundError';
  readonly talkId: string;

  constructor(talkId: string) {
    super(
      `The group was deleted while its agents talked (${talkId}). What they said is in their own messages.`,
    );
    this.talkId = talkId;
  }
}

/** A group in which nobody could answer. */
export class EmptyGroupError extends UnfitError {
  override readonly name = 'EmptyGroupError';
  readonly groupId: string;

  constructor(groupId: string) {
    super(
      `Group ${groupId} has no agents that could answer. Set its agent_ids with PATCH /v1/groups/${groupId}.`,
    );
    this.groupId = groupId;
  }
}
