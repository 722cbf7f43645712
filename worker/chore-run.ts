/** One run of a chore. */
export interface ChoreRun {
  /** Aborted when its time is over. Then nothing more is begun. */
  readonly signal: AbortSignal;
  readonly failed: (error: unknown) => void;
  /** How much it did. */
  readonly count: { done: number };
}
