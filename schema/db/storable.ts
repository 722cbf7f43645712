/**
 * A text that Postgres can store: NUL and unpaired surrogates, which models, tools and files produce, become U+FFFD.
 * Otherwise every retry of the insert would fail.
 */
export function storable(text: string): string {
  return text.replace(unstorable, '\uFFFD');
}

/** As `storable`; null stays null. */
export function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}

/** JSON for a jsonb column, with storable texts and names. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'string') return storable(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const hasOddName = Object.keys(part).some((name) => name !== storable(name));
    return hasOddName
      ? Object.fromEntries(Object.entries(part).map(([name, of]) => [storable(name), of]))
      : part;
  });
}

const unstorable = /\0|\p{Surrogate}/gu;

/** The `like` pattern for texts that contain this one, with its wildcards escaped. */
export function containing(text: string): string {
  return `%${storable(text).replace(/[\\%_]/g, String.raw`\$&`)}%`;
}
