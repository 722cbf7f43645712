/** The end of a transaction's work, whose commit does not wait for its answers. */
export class LastStatements<T> {
  readonly answers: Promise<T>;

  constructor(answers: Promise<T>) {
    this.answers = answers;
    // Also told by the commit, which fails first.
    answers.catch(() => undefined);
  }
}

/**
 * Ends a transaction's work with statements that have all been begun: the commit leaves right behind them, and fails where
 * one of them does. `answers` must begin no other statement, and throw for no other reason.
 */
export function lastStatements<T>(answers: Promise<T>): LastStatements<T> {
  return new LastStatements(answers);
}

export async function answersOf<T>(ended: T | LastStatements<T>): Promise<T> {
  return ended instanceof LastStatements ? ended.answers : ended;
}
