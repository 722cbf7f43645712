/** Exit codes of the command line: docs/cli.md. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  unreachable: 3,
  unauthorized: 4,
  notFound: 5,
  turnFailed: 6,
} as const;

/** A command that can't be carried out. Its message is for people, and says what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;

  constructor(kind: keyof typeof exitCodes, message: string) {
    super(message);
    this.exitCode = exitCodes[kind];
  }
}

/** The failure, if the server refused one thing and others may go well. Throws any other error. */
export function refusalOf(error: unknown): CommandFailure {
  const { failed, notFound } = exitCodes;
  const isRefusal =
    error instanceof CommandFailure && [failed, notFound].some((code) => code === error.exitCode);
  if (!isRefusal) throw error;
  return error;
}
