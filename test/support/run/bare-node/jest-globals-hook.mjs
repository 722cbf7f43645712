/** `@jest/globals` refuses to load outside of jest's own runtime. */
export function resolve(specifier, context, next) {
  if (specifier !== '@jest/globals') return next(specifier, context);
  return { url: new URL('./jest-globals.mjs', import.meta.url).href, shortCircuit: true };
}
