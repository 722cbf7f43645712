import { ClashError } from '../db/errors.js';

/** Tools of a bundle have names that other tools have here, and nobody asked for those to be replaced. */
export class ToolsDifferError extends ClashError {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(
      `There are other tools here by the names of tools in the file: ${names.join(', ')}. Import with \`override_existing_tools\` to replace them by the file's, for all agents that have them, or rename one of the two.`,
    );
    this.names = names;
  }
}
