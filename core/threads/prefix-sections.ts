/** A part of a prompt's prefix with its tags; null: the prefix has none. */
export type PrefixSections = Readonly<Record<(typeof tags)[number], string | null>>;

const tags = [
  'memory_blocks',
  'tool_usage_rules',
  'directories',
  'memory_metadata',
  'conversation_summary',
] as const;

/** Finds the sections that `compilePrefix` wrote. Values can't contain their closing tags. */
export function prefixSections(prefix: string): PrefixSections {
  const found = tags.map((tag) => {
    const [section] = new RegExp(`^<${tag}>\\n[\\s\\S]*?\\n</${tag}>$`, 'm').exec(prefix) ?? [];
    return [tag, section ?? null] as const;
  });
  // `found` has an entry for each tag.
  return Object.fromEntries(found) as PrefixSections;
}
