/**
 * The caller's mistakes, by the status that the server answers them with. Each message is for the user and says what to do.
 */
abstract class CallerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** What the caller names does not exist (404). */
export abstract class MissingError extends CallerError {
  protected readonly kind = 'missing';
}

/** The request conflicts with what exists, or with a change made since the caller read it (409). */
export abstract class ClashError extends CallerError {
  protected readonly kind = 'clash';
}

/** The operation is not possible for this thing (400). */
export abstract class MistakeError extends CallerError {
  protected readonly kind = 'mistake';
}

/** The request is well-formed but makes no sense for this thing (422). */
export abstract class UnfitError extends CallerError {
  protected readonly kind = 'unfit';
}

/** Nothing of a kind has this id. */
export abstract class NotFoundError extends MissingError {
  readonly id: string;

  /** `what`: the kind, capitalised, as "Agent". `remedy`: a sentence that says how to find the right id. */
  constructor(what: string, id: string, remedy: string) {
    super(`${what} with ID ${id} not found. ${remedy}`);
    this.id = id;
  }
}

/** A name, key or id that must be unique is in use. */
export abstract class TakenError extends ClashError {
  /** The name, key or id. */
  readonly taken: string;

  constructor(taken: string, message: string) {
    super(message);
    this.taken = taken;
  }
}
