import { UnfitError } from '../../../schema/db/errors.js';

/** An agent file that can't be read, or says what can't be. The message is for the user and says what to do. */
export class AgentFileError extends UnfitError {
}
