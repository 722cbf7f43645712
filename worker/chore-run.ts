/** One run of a chore. */
export interface ChoreRun {
  /** Aborted when its time is over: nothing more is begun. */
  readonly signal: AbortSignal;
  readonly failed: (error: unknown) => void;
  /** What it took up. */
  readonly count: { done: number };
}
