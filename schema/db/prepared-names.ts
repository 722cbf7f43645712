import { createHash } from 'node:crypto';

/** The most prepared statements, and the longest text of one, in characters. */
const mostPrepared = 300;
const longestPrepared = 8_000;

/**
 * Begins a statement whose best plan depends on its values, such as the size of an archive, so it is planned for each
 * call. A named statement gets a generic plan from its sixth call on.
 */
export const plannedAnew = '/* planned anew */';

/** Names for prepared statements. */
export interface PreparedNames {
  /** Undefined: don't prepare the statement. */
  nameOf(text: string): string | undefined;
  /** Changes the names where an error shows that the statement of this name is unusable. */
  learnFrom(error: unknown, name: string | undefined): void;
}

/**
 * Names are derived from texts. Behind a pooler that ignores prepared statements, several processes share a session;
 * what one finds under a name is then at least the same statement.
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
      // Of statements that fail together, the first one changes the names.
      if (name?.startsWith(`p${generation}_`) !== true) return;
      names.clear();
      generation += 1;
    },
  };
}

/**
 * Whether a prepared statement can't run any more, because its tables changed or a pooler lost it. It had no effect,
 * and may succeed in a new transaction.
 */
export function isStale(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown };
  // The code alone also means other unsupported features.
  return (code === '0A000' && routine === 'RevalidateCachedQuery') || isMissing(error);
}

/** invalid_sql_statement_name, duplicate_prepared_statement: a pooler gave the connection another session. */
function isMissing(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === '26000' || code === '42P05';
}
