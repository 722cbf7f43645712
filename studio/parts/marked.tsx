import { Mark } from '@mantine/core';

/** A text in which the words of a query are marked. */
export function Marked({ text, query }: { readonly text: string; readonly query: string }) {
  const words = query.split(/\s+/).filter((word) => word.length > 1);
  if (words.length === 0) return text;
  const pattern = new RegExp(
    `(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`,
    'giu',
  );
  // Splitting by a pattern with a group gives the matches at odd places.
  return text.split(pattern).map((part, place) => (place % 2 === 1 ? <Mark key={place}>{part}</Mark> : part));
}
