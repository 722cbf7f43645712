import { ClashError } from '../db/caller-errors.js';

/** An agent's pinned passages leave no room for another one. */
export class PinRefusedError extends ClashError {
  override readonly name = 'PinRefusedError';
  readonly agentId: string;
  readonly passageId: string;

  constructor(agentId: string, passageId: string, reason: string) {
    super(reason);
    this.agentId = agentId;
    this.passageId = passageId;
  }
}
