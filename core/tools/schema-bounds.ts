import { isNestedDeeper } from '../nesting.js';

/** The limit of a tool's schema, in characters of JSON: every model call includes it. */
export const mostSchemaCharacters = 200_000;
/** How deeply its lists and objects may be nested. */
export const mostSchemaLevels = 100;

/**
 * Why a tool's schema is too large, as the end of a sentence about the schema; undefined where it is not. Schemas may
 * come from strangers; within these bounds, reading, storing and compiling take a known time.
 */
export function sizeFault(schema: unknown): string | undefined {
  if (isNestedDeeper(schema, mostSchemaLevels)) {
    return `is nested more than ${mostSchemaLevels} levels deep. Make it flatter, or refer to what repeats by \`$ref\` into \`$defs\``;
  }
  const { length } = JSON.stringify(schema);
  if (length <= mostSchemaCharacters) return undefined;
  return `has ${length} characters of JSON, but at most ${mostSchemaCharacters} are allowed. Shorten descriptions and lists of values, or refer to what repeats by \`$ref\` into \`$defs\``;
}
