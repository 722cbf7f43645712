/** Characters of a tool's result. */
export const resultLength = 5_000;

/** The activities of the controls. */
export const controlActivities = {
  nothing: (step: number): Promise<number> => Promise.resolve(step),
  /** Stands for a model call and its tool: returns a tool's result. */
  readPrompt: (conversation: readonly string[]): Promise<string> =>
    Promise.resolve(`${conversation.length} `.padEnd(resultLength, 'result ')),
};

export type ControlActivities = typeof controlActivities;
