import { NotFoundError, TakenError } from '../db/errors.js';

/** No such identity. */
export class IdentityNotFoundError extends NotFoundError {
  constructor(identityId: string) {
    super('Identity', identityId, 'List the identities to see which there are.');
  }
}

/** Another identity of the project has this key. */
export class IdentityKeyTakenError extends TakenError {
  constructor(key: string) {
    super(
      key,
      `An identity with the key '${key}' already exists. Upsert it (PUT /v1/identities), or use another key.`,
    );
  }
}
