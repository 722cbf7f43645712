import { isNestedDeeper, partsOf } from '../../core/nesting.js';

/** The deepest nesting of a body: the code that reads and stores it recurses level by level. */
const mostLevels = 200;
/** The longest list in a body: its items become values of one statement. A vector's numbers count as one value. */
const mostItems = 3_000;

/** Whether a value is nested too deep to be read and stored. */
export function isTooDeep(value: unknown): boolean {
  return isNestedDeeper(value, mostLevels);
}

/** What is wrong with a body's shape, as the end of a sentence; undefined where nothing is. */
export function findShapeFault(body: unknown): string | undefined {
  if (isTooDeep(body)) return `is nested more than ${mostLevels} levels deep.`;
  for (let level = [body]; level.length > 0; level = level.flatMap(partsOf)) {
    const long = level.find(
      (part) => Array.isArray(part) && part.length > mostItems && typeof part[0] !== 'number',
    );
    if (Array.isArray(long))
      return `has a list of ${long.length} items; the most is ${mostItems}. Send them in several requests.`;
  }
  return undefined;
}
