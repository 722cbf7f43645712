/** No such archive. */
export class ArchiveNotFoundError extends Error {
  override readonly name = 'ArchiveNotFoundError';
  readonly archiveId: string;

  constructor(archiveId: string) {
    super(`Archive with ID ${archiveId} not found. List the archives to see which there are.`);
    this.archiveId = archiveId;
  }
}

/** An archive in which an agent keeps what it stores can't be taken from it. */
export class ArchiveOwnedError extends Error {
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
