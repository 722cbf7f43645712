import { UnfitError } from '../../../schema/db/errors.js';

/** Thrown for an agent file that can't be read or contradicts itself. The message is for the user and says what to do. */
export class AgentFileError extends UnfitError {}
