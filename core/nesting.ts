/** Whether lists and objects are nested more than `levels` deep. Goes down no call stack itself. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap(partsOf);
  }
  return false;
}

/** The lists and objects that are right in this one. */
export function partsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).filter((part) => typeof part === 'object' && part !== null);
}
