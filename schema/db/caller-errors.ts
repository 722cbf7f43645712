/**
 * The caller's mistakes, by what the server makes of them. Each message is a sentence for the user that says what to do.
 */
abstract class CallerError extends Error {
  abstract override readonly name: string;
}

/** What the caller names is not there (404). */
export abstract class MissingError extends CallerError {
  protected readonly kind = 'missing';
}

/** What the caller wants meets what is there already, or has changed meanwhile (409). */
export abstract class ClashError extends CallerError {
  protected readonly kind = 'clash';
}

/** What the caller asks for can't be done with this thing at all (400). */
export abstract class MistakeError extends CallerError {
  protected readonly kind = 'mistake';
}

/** What the caller sends is well-formed and makes no sense for this thing (422). */
export abstract class UnfitError extends CallerError {
  protected readonly kind = 'unfit';
}
