/** The end of a transaction's work whose commit does not wait for its answers. */
export class LastStatements<T> {
  readonly answers: Promise<T>;

  constructor(answers: Promise<T>) {
    this.answers = answers;
    // The commit reports the failure first.
    answers.catch(() => undefined);
  }
}

/**
 * Ends a transaction's work with statements that have been started: the commit is sent right after them, and fails if
 * one of them does. `answers` must start no other statement and throw for no other reason.
 */
export function lastStatements<T>(answers: Promise<T>): LastStatements<T> {
  return new LastStatements(answers);
}

export async function answersOf<T>(ended: T | LastStatements<T>): Promise<T> {
  return ended instanceof LastStatements ? ended.answers : ended;
}
