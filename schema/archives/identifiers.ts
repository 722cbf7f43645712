import { identifierTerms } from '../../core/archives/search.js';

/** Longer ones are data rather than names. An index entry is limited to about 2,700 bytes. */
const longest = 200;
/** A log file names thousands of things, but its row must stay small. */
const most = 1_000;

/**
 * The identifiers of a text as the database compares them: in lower case, whole and, for paths and key-value pairs,
 * also their parts.
 */
export function identifiersOf(text: string): string[] {
  const terms = [...identifierTerms(text), ...identifierTerms(text.replace(/[/:#=]/g, ' '))];
  const short = terms.filter((term) => term.length <= longest).map((term) => term.toLowerCase());
  return [...new Set(short)].slice(0, most);
}
