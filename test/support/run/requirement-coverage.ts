/** A test that ran, as the test runner reports it. */
export interface RanTest {
  /** With the titles of all `describe`s around it. */
  readonly title: string;
  readonly passed: boolean;
  /** It did not run, because this machine lacks what it needs. The end of the run names it. */
  readonly skipped?: boolean;
}

/** What is wrong between the table of requirements and the tests that cite it. */
export interface CoverageGaps {
  /** Ids of the table that no passed test cites, nor one that was skipped. */
  readonly unshown: readonly string[];
  /** Ids that a test cites, passed or not, and the table does not have. */
  readonly unknown: readonly string[];
}

const citation = /\[([a-z][a-z-]*\.[a-z0-9-]+)\]/g;

/** The ids that a title cites: `[turn.resume]`, as many as there are. */
export function citedIds(title: string): string[] {
  return [...title.matchAll(citation)].flatMap(([, id]) => (id === undefined ? [] : [id]));
}

/** Compares the ids of the table with those that tests cite, in the order of the table. */
export function findGaps(ids: readonly string[], tests: readonly RanTest[]): CoverageGaps {
  const known = new Set(ids);
  const shown = new Set(
    tests.filter((test) => test.passed || test.skipped === true).flatMap((test) => citedIds(test.title)),
  );
  const cited = new Set(tests.flatMap((test) => citedIds(test.title)));
  return {
    unshown: ids.filter((id) => !shown.has(id)),
    unknown: [...cited].filter((id) => !known.has(id)).sort(),
  };
}

/** The gaps for people; undefined where there is none. */
export function describeGaps({ unshown, unknown }: CoverageGaps): string | undefined {
  const lines = [
    ...list(`${unshown.length} requirements are shown by no passed test:`, unshown),
    ...list(`${unknown.length} cited ids are not in test/requirements.ts:`, unknown),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}

function list(heading: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [heading, ...ids.map((id) => `  ${id}`)];
}
