/**
 * A text as Postgres can store it: NUL and halves of surrogate pairs, which models, tools and files do produce,
 * become U+FFFD. Without this an insert would fail for good.
 */
export function storable(text: string): string {
  return text.replace(unstorable, '\uFFFD');
}

export function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}

/** JSON for a jsonb column, with all its texts and names storable. */
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

/** The `like` pattern of all texts that contain this one; its own wildcards stand for themselves. */
export function containing(text: string): string {
  return `%${storable(text).replace(/[\\%_]/g, String.raw`\$&`)}%`;
}
