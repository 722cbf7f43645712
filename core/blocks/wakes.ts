/** Words for an agent that asked to be woken when others change its blocks; the changes themselves follow as notices. */
export function wakeText(changes: readonly { readonly label: string; readonly revision: number }[]): string {
  const newest = new Map(changes.map(({ label, revision }) => [label, revision]));
  const named = [...newest].map(([label, revision]) => `"${label}" (now at revision ${revision})`).join(', ');
  const blocks = newest.size === 1 ? `memory block ${named} was` : `memory blocks ${named} were`;
  return `Your ${blocks} changed by others, and you asked to be told. Read what is new, and act on it if it asks for something.`;
}
