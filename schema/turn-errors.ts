import { MissingError } from './caller-errors.js';

/** No such turn. */
export class TurnNotFoundError extends MissingError {
  override readonly name = 'TurnNotFoundError';
  readonly turnId: string;

  constructor(turnId: string) {
    super(`Run with ID ${turnId} not found. List the runs to see which there are.`);
    this.turnId = turnId;
  }
}

/** No such step. */
export class StepNotFoundError extends MissingError {
  override readonly name = 'StepNotFoundError';
  readonly stepId: string;

  constructor(stepId: string) {
    super(`Step with ID ${stepId} not found. List the steps of a run to see which there are.`);
    this.stepId = stepId;
  }
}
