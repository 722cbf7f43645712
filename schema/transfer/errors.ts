import { ClashError } from '../db/errors.js';

/** The file has tools that differ from existing ones with the same names, and the import may not replace those. */
export class ToolsDifferError extends ClashError {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(
      `These tools differ from existing ones with the same names: ${names.join(', ')}. Import with \`override_existing_tools\` to replace the existing ones for all their agents, or rename one of the two.`,
    );
    this.names = names;
  }
}
