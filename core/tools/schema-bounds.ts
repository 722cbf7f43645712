import { isNestedDeeper } from '../nesting.js';

/** What a tool's schema may have, in characters of JSON: every model call carries it. */
export const mostSchemaCharacters = 200_000;
/** How deep it may be nested, in lists and objects. */
export const mostSchemaLevels = 100;

/**
 * Why a tool's schema is too large to be used, as the end of a sentence about the schema; undefined where it is not. Who
 * wrote it may be a stranger: what is within the bounds is read, stored and compiled in a time that they know.
 */
export function sizeFault(schema: unknown): string | undefined {
  if (isNestedDeeper(schema, mostSchemaLevels)) {
    return `is nested more than ${mostSchemaLevels} levels deep. Make it flatter, or refer to what repeats by \`$ref\` into \`$defs\``;
  }
  const { length } = JSON.stringify(schema);
  if (length <= mostSchemaCharacters) return undefined;
  return `has ${length} characters of JSON, and it may have ${mostSchemaCharacters}. Shorten descriptions and lists of values, or refer to what repeats by \`$ref\` into \`$defs\``;
}
