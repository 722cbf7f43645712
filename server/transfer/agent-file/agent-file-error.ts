import { UnfitError } from '../../../schema/db/caller-errors.js';

/** An agent file that can't be read, or says what can't be. The message is for the user and says what to do. */
export class AgentFileError extends UnfitError {
  override readonly name = 'AgentFileError';
}
