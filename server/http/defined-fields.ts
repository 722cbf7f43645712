/** The same fields, each either absent or with a value. */
export type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out the fields that are undefined: an absent field of a change stays as it is. */
export function definedFields<T extends object>(fields: T): DefinedFields<T> {
  // The compiler can't follow entries back to fields; the filter does what the type says.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as DefinedFields<T>;
}
