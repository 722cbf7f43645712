import { type RawBuilder, sql } from 'kysely';

/** Filters for agents or blocks by their identities; absent: all. */
export interface IdentityOwnership {
  /** Those of this identity. */
  readonly identityId?: string | undefined;
  /** Those of an identity with one of these keys. */
  readonly identifierKeys?: readonly string[] | undefined;
}

/** The condition that an agent or block has such an identity; undefined: no condition. */
export function belongsToIdentity(
  what: 'agent' | 'block',
  { identityId, identifierKeys }: IdentityOwnership,
): RawBuilder<boolean> | undefined {
  if (identityId === undefined && identifierKeys === undefined) return undefined;
  return sql<boolean>`exists (
    select from ${sql.table(`${what}_identities`)} own join identities i on i.id = own.identity_id
    where ${sql.ref(`own.${what}_id`)} = ${sql.ref(`${what}s.id`)} and i.id = coalesce(${identityId ?? null}, i.id)
      and (${identifierKeys === undefined} or i.identifier_key = any(${[...(identifierKeys ?? [])]}::text[])))`;
}
