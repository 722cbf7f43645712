import type pg from 'pg';

/** Time limits of a connection, in ms. 0: none. */
export interface WaitLimits {
  /** For connecting, and for getting a free connection of the pool. */
  readonly connectMs: number;
  /** For a statement. */
  readonly statementMs: number;
  /** For locks, within a statement. */
  readonly lockMs: number;
  /** For the next statement of a transaction. Then the server ends the session and releases its locks. */
  readonly idleTransactionMs: number;
}

/**
 * An idle holder of a row is ended before its waiters give up, so a stalled process or a lost network delays others
 * by ten seconds without an error.
 */
export const defaultLimits: WaitLimits = {
  connectMs: 10_000,
  statementMs: 30_000,
  lockMs: 12_000,
  idleTransactionMs: 10_000,
};

/** For sessions that hold a lock while they build an index, feed a store or sweep, which may take any time. */
export const sessionLimits: WaitLimits = { ...defaultLimits, statementMs: 0, lockMs: 0 };

/**
 * For migrations. A statement that waits for a table's lock blocks all later ones, so a migration tries again instead
 * of waiting.
 */
export const migrationLimits: WaitLimits = { ...sessionLimits, lockMs: 5_000, idleTransactionMs: 0 };

/** Socket options of every connection, so that a lost server is noticed. */
export function socketOptions({ connectMs }: Pick<WaitLimits, 'connectMs'> = defaultLimits): pg.ClientConfig {
  return { connectionTimeoutMillis: connectMs, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
}

/** The limits as startup parameters, which cost nothing. Poolers refuse them. */
export function startupOptions({ statementMs, lockMs, idleTransactionMs }: WaitLimits): pg.ClientConfig {
  return {
    options: [
      `-c statement_timeout=${statementMs}`,
      `-c lock_timeout=${lockMs}`,
      `-c idle_in_transaction_session_timeout=${idleTransactionMs}`,
    ].join(' '),
  };
}

/** The limits as statements at the beginning of a transaction. */
export function limitStatements({ statementMs, lockMs, idleTransactionMs }: WaitLimits): string {
  return [
    `set local statement_timeout = ${statementMs}`,
    `set local lock_timeout = ${lockMs}`,
    `set local idle_in_transaction_session_timeout = ${idleTransactionMs}`,
  ].join('; ');
}
