/** What is known of the context window of an agent's model, in tokens. */
export interface KnownWindow {
  /** The model's own. */
  readonly described: number;
  /** The agent's limit; null: none. */
  readonly limit: number | null;
  /** The limit that a provider's refusal showed. It applies only to that model. */
  readonly learned: { readonly model: string; readonly tokens: number } | null;
  /** The agent's model. */
  readonly model: string;
}

/** The window to use: the agent's limit or the model's size, or less where a provider refused more. */
export function windowOf({ described, limit, learned, model }: KnownWindow): number {
  return Math.min(limit ?? described, learned?.model === model ? learned.tokens : Infinity);
}

/** A learned window is this share of the refused request. */
const learnedShare = 0.8;

/**
 * The window learned from a refusal: four fifths of the refused size, but not less than the largest request that the
 * model accepted. If that was as large as the refused one, the model's window has shrunk, and it doesn't count.
 */
export function windowAfterRefusal(seen: { refused: number; largestTaken: number | null }): number {
  const { refused, largestTaken } = seen;
  const likely = Math.floor(refused * learnedShare);
  return largestTaken === null || largestTaken >= refused ? likely : Math.max(likely, largestTaken);
}
