/** The same fields, of which none is there without a value. */
export type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out the fields that are undefined: of a change, what is absent stays as it is. */
export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  // The compiler can't follow entries back to fields; the filter is what the type says.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as DefinedFields<T>;
}
