import { identifierTerms } from '../../core/archives/search.js';

/** Longer ones are data, and an index entry may not exceed some 2,700 bytes. */
const longest = 200;
/** A dump of a log names thousands of things; its row must stay small. */
const most = 1_000;

/**
 * The identifiers of a text as the database keeps and compares them: lower case, whole and, where they are paths or
 * key-value pairs, also their parts.
 */
export function identifiersOf(text: string): string[] {
  const terms = [...identifierTerms(text), ...identifierTerms(text.replace(/[/:#=]/g, ' '))];
  const short = terms.filter((term) => term.length <= longest).map((term) => term.toLowerCase());
  return [...new Set(short)].slice(0, most);
}
