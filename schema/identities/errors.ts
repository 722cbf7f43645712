import { ClashError, MissingError } from '../db/caller-errors.js';

/** No such identity. */
export class IdentityNotFoundError extends MissingError {
  override readonly name = 'IdentityNotFoundError';
  readonly identityId: string;

  constructor(identityId: string) {
    super(`Identity with ID ${identityId} not found. List the identities to see which there are.`);
    this.identityId = identityId;
  }
}

/** An identity was to get a key that another one of its project has. */
export class IdentityKeyTakenError extends ClashError {
  override readonly name = 'IdentityKeyTakenError';
  readonly identifierKey: string;

  constructor(identifierKey: string) {
    super(
      `There is an identity with the key '${identifierKey}' already. Upsert it (PUT /v1/identities), or use another key.`,
    );
    this.identifierKey = identifierKey;
  }
}
