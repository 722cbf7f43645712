import { createHash } from 'node:crypto';

/** Statements that are prepared at most, and how long their text may be, in characters. */
const mostPrepared = 300;
const longestPrepared = 8_000;

/**
 * Begins a statement whose best plan depends on its values, as for a small archive and a large one: it is planned for the
 * values that it has. Under a name, PostgreSQL plans it once for all values from the sixth time on.
 */
export const plannedAnew = '/* planned anew */';

/** Under which names statements are prepared. */
export interface PreparedNames {
  /** Undefined where the statement is not to be prepared. */
  nameOf(text: string): string | undefined;
  /** Has other names from here on where an error says that what is prepared under this one is of no use any more. */
  learnFrom(error: unknown, name: string | undefined): void;
}

/**
 * Names follow from the text. Behind a pooler that knows nothing of prepared statements, several processes prepare on one
 * session: what one of them finds there under a name is at least the statement that it means.
 */
export function createPreparedNames(): PreparedNames {
  const names = new Map<string, string>();
  let generation = 0;
  let isOff = false;
  return {
    nameOf(text) {
      const known = names.get(text);
      if (known !== undefined || isOff) return known;
      if (text.startsWith(plannedAnew)) return undefined;
      if (text.length > longestPrepared || names.size >= mostPrepared) return undefined;
      const name = `p${generation}_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
      names.set(text, name);
      return name;
    },
    learnFrom(error, name) {
      if (!isStale(error)) return;
      isOff ||= isMissing(error);
      // Of those that fail together, one is enough.
      if (name?.startsWith(`p${generation}_`) !== true) return;
      names.clear();
      generation += 1;
    },
  };
}

/**
 * Whether an error says that a statement, prepared earlier, can't be run any more: its tables were changed since, or a
 * pooler has lost it. Nothing came of it: the same in a new transaction may succeed.
 */
export function isStale(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown };
  // The code alone would be that of anything which PostgreSQL does not support.
  return (code === '0A000' && routine === 'RevalidateCachedQuery') || isMissing(error);
}

/** invalid_sql_statement_name, duplicate_prepared_statement: a pooler gave the connection another session. */
function isMissing(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === '26000' || code === '42P05';
}
