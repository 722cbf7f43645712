/** Splits a handle into provider and model. The model may contain slashes. */
export function splitHandle(handle: string): { readonly prefix: string; readonly model: string } {
  const slash = handle.indexOf('/');
  return slash < 0
    ? { prefix: '', model: handle }
    : { prefix: handle.slice(0, slash), model: handle.slice(slash + 1) };
}
