/** A part of a prompt's prefix, with its tags; null where the prefix has none. */
export type PrefixSections = Readonly<Record<(typeof tags)[number], string | null>>;

const tags = [
  'memory_blocks',
  'tool_usage_rules',
  'directories',
  'memory_metadata',
  'conversation_summary',
] as const;

/** The sections that `compilePrefix` has put into a prefix. Values can't end them: their closing tags are changed. */
export function prefixSections(prefix: string): PrefixSections {
  const found = tags.map((tag) => {
    const [section] = new RegExp(`^<${tag}>\\n[\\s\\S]*?\\n</${tag}>$`, 'm').exec(prefix) ?? [];
    return [tag, section ?? null] as const;
  });
  // Each tag is among the entries, once.
  return Object.fromEntries(found) as PrefixSections;
}
