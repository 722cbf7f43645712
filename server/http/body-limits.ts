import { isNestedDeeper, partsOf } from '../../core/nesting.js';

/** Levels of lists and objects that a body may have: what reads and stores them goes down level by level. */
const mostLevels = 200;
/** Items that a list may have: they become values of one statement. A vector's numbers are one value. */
const mostItems = 3_000;

/** Whether something is nested too deep to be read and stored. */
export function isTooDeep(value: unknown): boolean {
  return isNestedDeeper(value, mostLevels);
}

/** What is wrong with a body's shape, whatever it says, as the end of a sentence; undefined where nothing is. */
export function findShapeFault(body: unknown): string | undefined {
  if (isTooDeep(body)) return `is nested more than ${mostLevels} levels deep.`;
  for (let level = [body]; level.length > 0; level = level.flatMap(partsOf)) {
    const long = level.find(
      (part) => Array.isArray(part) && part.length > mostItems && typeof part[0] !== 'number',
    );
    if (Array.isArray(long))
      return `has a list of ${long.length} items, and a list may have ${mostItems}. Send them in several requests.`;
  }
  return undefined;
}
