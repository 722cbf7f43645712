import { ClashError, NotFoundError } from '../db/errors.js';

/** No such archive. */
export class ArchiveNotFoundError extends NotFoundError {
  constructor(archiveId: string) {
    super('Archive', archiveId, 'List the archives to see which there are.');
  }
}

/** An agent's own archive can't be detached or deleted. */
export class ArchiveOwnedError extends ClashError {
  readonly archiveId: string;
  readonly agentId: string;

  constructor(archiveId: string, agentId: string) {
    super(
      `Archive ${archiveId} is agent ${agentId}'s own, in which it stores passages. Delete single passages, or the agent.`,
    );
    this.archiveId = archiveId;
    this.agentId = agentId;
  }
}

/** No such passage. */
export class PassageNotFoundError extends NotFoundError {
  constructor(passageId: string) {
    super('Passage', passageId, "List the agent's archival memory to see which there are.");
  }
}

/** A passage can't be pinned in addition to the agent's other pinned passages. */
export class PinRefusedError extends ClashError {
  readonly agentId: string;
  readonly passageId: string;

  constructor(agentId: string, passageId: string, reason: string) {
    super(reason);
    this.agentId = agentId;
    this.passageId = passageId;
  }
}
