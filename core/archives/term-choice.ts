/** A word that is looked for. */
export interface SoughtTerm {
  readonly term: string;
  /** Of the rows that are searched, how many have it: 0 to 1. */
  readonly share: number;
}

/** Terms that a row must have all of to be weighed. */
export type Conjunction = readonly string[];

/** Of the common ones, so many of the rarest are put in pairs: a text has words without end. */
const mostPaired = 12;

/**
 * Which rows to weigh where not all that have any of the words can be: those with a rare word, and those with two common
 * ones, from the fewest rows up to `most` rows in all. What has only one common word is worth least of all. At least one
 * conjunction is chosen.
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

/** What a word says of a row that has it: the more, the fewer rows do. */
export function weightOf({ share }: SoughtTerm): number {
  return Math.log(1 + 1 / Math.max(share, 1e-6));
}
