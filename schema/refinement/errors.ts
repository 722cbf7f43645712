import { ClashError, NotFoundError } from '../db/errors.js';

/** No such refinement. */
export class RefinementNotFoundError extends NotFoundError {
  constructor(refinementId: string) {
    super('Refinement', refinementId, 'List the refinements of its group to see which there are.');
  }
}

/** No such request for a refinement. */
export class RefinementRequestNotFoundError extends NotFoundError {
  constructor(requestId: string) {
    super('Refinement request', requestId, 'It never existed, or was deleted with its group.');
  }
}

/** Only a refinement that waits for approval can be approved or rejected. */
export class RefinementStateError extends ClashError {
  readonly refinementId: string;
  readonly state: string;

  constructor(refinementId: string, state: string) {
    super(
      `Refinement ${refinementId} is ${state} and does not wait for approval. There is nothing to decide.`,
    );
    this.refinementId = refinementId;
    this.state = state;
  }
}

/** Edits that wait for approval meet others of the same lines, made since, or a block that refuses them. */
export class RefinementConflictError extends ClashError {
  readonly refinementId: string;
  readonly conflicts: readonly RefinementConflict[];

  constructor(refinementId: string, conflicts: readonly RefinementConflict[]) {
    const problems = conflicts.map(({ label, why }) => `${label}: ${why}`).join(' ');
    super(
      `Refinement ${refinementId} can't be merged. ${problems} Send \`values\` with the text that each of these blocks, by its id, is to have; or reject the refinement.`,
    );
    this.refinementId = refinementId;
    this.conflicts = conflicts;
  }
}

interface RefinementConflict {
  readonly blockId: string;
  readonly label: string;
  readonly current: string;
  readonly yours: string;
  readonly why: string;
}
