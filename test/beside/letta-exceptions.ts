/** Tests of Letta's that don't pass, and why. */
interface Exception {
  /** Parts of their names. */
  readonly tests: readonly string[];
  readonly reason: string;
  /** They need a hosted service, or patch the code of Letta's server: they say nothing of ours. */
  readonly elsewhere?: true;
}

export const exceptions: readonly Exception[] = [];
