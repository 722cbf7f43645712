/** What is known of the window of an agent's model, in tokens. */
export interface KnownWindow {
  /** As the model is described. */
  readonly described: number;
  /** As the agent's maker limits it; null: not. */
  readonly limit: number | null;
  /** As the provider of a model showed it: of use only while the agent has that model. */
  readonly learned: { readonly model: string; readonly tokens: number } | null;
  /** The agent's model. */
  readonly model: string;
}

/** The window to fit a context to: the agent's own limit or the model's size, less where the provider proved less. */
export function windowOf({ described, limit, learned, model }: KnownWindow): number {
  return Math.min(limit ?? described, learned?.model === model ? learned.tokens : Infinity);
}

/** A learned window is this share of the request that was too large. */
const learnedShare = 0.8;

/**
 * The window that a refusal teaches: four fifths of what was too large, but not less than what the model took in
 * before, unless that was no smaller than what it refuses now: then its window has shrunk since.
 */
export function windowAfterRefusal(seen: { refused: number; largestTaken: number | null }): number {
  const { refused, largestTaken } = seen;
  const likely = Math.floor(refused * learnedShare);
  return largestTaken === null || largestTaken >= refused ? likely : Math.max(likely, largestTaken);
}
