import { ClashError, MissingError } from '../db/caller-errors.js';

/** No such archive. */
export class ArchiveNotFoundError extends MissingError {
  override readonly name = 'ArchiveNotFoundError';
  readonly archiveId: string;

  constructor(archiveId: string) {
    super(`Archive with ID ${archiveId} not found. List the archives to see which there are.`);
    this.archiveId = archiveId;
  }
}

/** An archive in which an agent keeps what it stores can't be taken from it. */
export class ArchiveOwnedError extends ClashError {
  override readonly name = 'ArchiveOwnedError';
  readonly archiveId: string;
  readonly agentId: string;

  constructor(archiveId: string, agentId: string) {
    super(
      `Archive ${archiveId} is where agent ${agentId} keeps what it stores. Delete single passages of it, or the agent.`,
    );
    this.archiveId = archiveId;
    this.agentId = agentId;
  }
}

/** No such passage. */
export class PassageNotFoundError extends MissingError {
  override readonly name = 'PassageNotFoundError';
  readonly passageId: string;

  constructor(passageId: string) {
    super(`Passage with ID ${passageId} not found. List the agent's archival memory to see which there are.`);
    this.passageId = passageId;
  }
}
