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

/** Only a refinement in review can be approved or rejected. */
export class RefinementStateError extends ClashError {
  readonly refinementId: string;
  readonly state: string;

  constructor(refinementId: string, state: string) {
    super(`Refinement ${refinementId} is ${state}, so it can't be approved or rejected.`);
    this.refinementId = refinementId;
    this.state = state;
  }
}

/** Edits in review conflict with newer changes of the same lines, or their block refuses them. */
export class RefinementConflictError extends ClashError {
  readonly refinementId: string;
  readonly conflicts: readonly RefinementConflict[];

  constructor(refinementId: string, conflicts: readonly RefinementConflict[]) {
    const problems = conflicts.map(({ label, why }) => `${label}: ${why}`).join(' ');
    super(
      `Refinement ${refinementId} can't be merged. ${problems} Send \`values\` with a new text for each of these blocks, by its id; or reject the refinement.`,
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
