/** A problem with the settings. */
export interface SettingsProblem {
  readonly variable: string;
  /** What is wrong and what to set instead, as the end of a sentence that begins with the variable. */
  readonly message: string;
}

/** The settings can't be used. The message lists all problems, for people. */
export class SettingsError extends Error {
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    const lines = problems.map(({ variable, message }) => `  ${variable} ${message}`);
    super(['The settings cannot be used (environment, or .env in this directory):', ...lines].join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}
