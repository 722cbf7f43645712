export const identityTypes = ['org', 'user', 'other'] as const;

export type IdentityType = (typeof identityTypes)[number];

/** A property of an identity. */
export interface IdentityProperty {
  readonly key: string;
  readonly value: string | number | boolean | Readonly<Record<string, unknown>>;
  readonly type: 'string' | 'number' | 'boolean' | 'json';
}

/** Somebody or something that agents and blocks belong to: a person, an organisation. */
export interface Identity {
  readonly id: string;
  /** The identity's name in the caller's own program, unique in a project. */
  readonly identifierKey: string;
  readonly name: string;
  readonly type: IdentityType;
  readonly projectId: string | null;
  readonly properties: readonly IdentityProperty[];
  /** In the order in which they were attached. */
  readonly agentIds: readonly string[];
  readonly blockIds: readonly string[];
  readonly createdAt: Date;
}

/** Sets properties: one with an existing key replaces it, a new one is added at the end. */
export function mergeProperties(
  properties: readonly IdentityProperty[],
  set: readonly IdentityProperty[],
): readonly IdentityProperty[] {
  return [...new Map([...properties, ...set].map((property) => [property.key, property])).values()];
}
