/** Characters of a tool's result. */
export const resultLength = 5_000;

/** What the controls ask to be done. */
export const controlActivities = {
  nothing: (step: number): Promise<number> => Promise.resolve(step),
  /** As a model call that ends in a tool's result. */
  readPrompt: (conversation: readonly string[]): Promise<string> =>
    Promise.resolve(`${conversation.length} `.padEnd(resultLength, 'result ')),
};

export type ControlActivities = typeof controlActivities;
