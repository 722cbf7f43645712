/** Whether lists and objects are nested more than `levels` deep. Does not recurse, so it can't overflow the stack. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap(partsOf);
  }
  return false;
}

/** The lists and objects directly within this one. */
export function partsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).filter((part) => typeof part === 'object' && part !== null);
}
