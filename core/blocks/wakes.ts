/** The message that wakes an agent when others changed its blocks. The changes follow as notices. */
export function wakeText(changes: readonly { readonly label: string; readonly revision: number }[]): string {
  const newest = new Map(changes.map(({ label, revision }) => [label, revision]));
  const named = [...newest].map(([label, revision]) => `"${label}" (now at revision ${revision})`).join(', ');
  const blocks = newest.size === 1 ? `memory block ${named} was` : `memory blocks ${named} were`;
  return `Your ${blocks} changed by others, and you asked to be told. Read the changes, and act on them if they ask for something.`;
}
