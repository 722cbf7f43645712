export const identityTypes = ['org', 'user', 'other'] as const;

export type IdentityType = (typeof identityTypes)[number];

/** What is said of an identity under a key. */
export interface IdentityProperty {
  readonly key: string;
  readonly value: string | number | boolean | Readonly<Record<string, unknown>>;
  readonly type: 'string' | 'number' | 'boolean' | 'json';
}

/** Somebody or something that agents and blocks are for: a person, an organisation. */
export interface Identity {
  readonly id: string;
  /** The name that the caller's own program has for it; one in a project. */
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

/** Properties after others were set: one of the same key takes its place, a new one comes last. */
export function mergeProperties(
  properties: readonly IdentityProperty[],
  set: readonly IdentityProperty[],
): readonly IdentityProperty[] {
  return [...new Map([...properties, ...set].map((property) => [property.key, property])).values()];
}
