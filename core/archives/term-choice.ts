/** A word of a query. */
export interface SoughtTerm {
  readonly term: string;
  /** The share of the searched rows that contain it, 0 to 1. */
  readonly share: number;
}

/** Terms that a row must all contain to be scored. */
export type Conjunction = readonly string[];

/** How many of the rarest common words are combined in pairs: a query may have any number of words. */
const mostPaired = 12;

/**
 * Chooses which rows to score where scoring every row with any of the words would take too long: rows with a rare
 * word first, then rows with two common words, fewest rows first, up to `most` rows in all. Rows with a single common
 * word come last. Returns at least one conjunction.
 */
export function chooseConjunctions(
  terms: readonly SoughtTerm[],
  { rows, most }: { readonly rows: number; readonly most: number },
): readonly Conjunction[] {
  const rarest = [...terms].sort((a, b) => a.share - b.share);
  let left = most;
  const takes = ({ share }: { readonly share: number }): boolean => {
    left -= share * rows;
    return left >= 0;
  };
  const chosen: Conjunction[] = [];
  let next = 0;
  for (let each = rarest[0]; each !== undefined && takes(each); each = rarest[next]) {
    chosen.push([each.term]);
    next += 1;
  }
  const common = rarest.slice(next, next + mostPaired);
  left = most;
  const pairs = common
    .flatMap((a, place) =>
      common.slice(place + 1).map((b) => ({ terms: [a.term, b.term], share: a.share * b.share })),
    )
    .sort((a, b) => a.share - b.share)
    .filter(takes);
  chosen.push(...pairs.map((pair) => pair.terms));
  const [first] = rarest;
  return chosen.length > 0 || first === undefined ? chosen : [[first.term]];
}

/** The weight of a word: the fewer rows contain it, the higher. */
export function weightOf({ share }: SoughtTerm): number {
  return Math.log(1 + 1 / Math.max(share, 1e-6));
}
