import { ClashError, NotFoundError } from '../db/errors.js';

/** No such turn. */
export class TurnNotFoundError extends NotFoundError {
  constructor(turnId: string) {
    super('Run', turnId, 'List the runs to see which there are.');
  }
}

/** No such step. */
export class StepNotFoundError extends NotFoundError {
  constructor(stepId: string) {
    super('Step', stepId, 'List the steps of a run to see which there are.');
  }
}

/** What still needs a turn. */
const needs = {
  unfinished: 'has not ended. Cancel it, or wait for its end, and delete it then.',
  awaited: 'has tool calls that wait for an approval. Approve or deny them first.',
  talk: 'is part of a group conversation. Reset the group’s messages, or delete the group.',
  budgeted: 'refined an agent’s memory, and its tokens count towards a budget. It is deleted with its agent.',
  unreported: 'has not been reported to its callback_url yet. Delete it after that, at the latest in a day.',
} as const;

/** A turn can't be deleted because something still needs it. */
export class TurnNeededError extends ClashError {
  readonly turnId: string;
  readonly need: keyof typeof needs;

  constructor(turnId: string, need: keyof typeof needs) {
    super(`Run ${turnId} ${needs[need]}`);
    this.turnId = turnId;
    this.need = need;
  }
}
