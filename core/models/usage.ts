/** The tokens of a model call, as the provider reported them; zero where it reported none. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  /** Prompt tokens that the provider served from its cache. */
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
}

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
};
