import type pg from 'pg';

/** How long a connection waits, in ms. 0: for ever. */
export interface WaitLimits {
  /** For a server to connect, and for a connection of the pool to be free. */
  readonly connectMs: number;
  /** For one statement. */
  readonly statementMs: number;
  /** Of that, for locks. */
  readonly lockMs: number;
  /** For the next statement of a transaction: then the server ends the session, and frees what it had locked. */
  readonly idleTransactionMs: number;
}

/**
 * Who holds a row and goes silent is ended before who waits for the row gives up: one that stands still, or whose network
 * is gone, costs the others ten seconds and no error.
 */
export const defaultLimits: WaitLimits = {
  connectMs: 10_000,
  statementMs: 30_000,
  lockMs: 12_000,
  idleTransactionMs: 10_000,
};

/** For sessions that hold a lock while they build an index, tell a store, sweep: what they do may take any time. */
export const sessionLimits: WaitLimits = { ...defaultLimits, statementMs: 0, lockMs: 0 };

/** For migrations. A table's lock that is waited for holds up whoever comes after: it is tried again instead. */
export const migrationLimits: WaitLimits = { ...sessionLimits, lockMs: 5_000, idleTransactionMs: 0 };

/** What every connection of ours is opened with: a server that is gone is noticed, by whoever waits for it. */
export function socketOptions({ connectMs }: Pick<WaitLimits, 'connectMs'> = defaultLimits): pg.ClientConfig {
  return { connectionTimeoutMillis: connectMs, keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
}

/** The limits as parameters of a session's start, which cost nothing. Poolers refuse them. */
export function startupOptions({ statementMs, lockMs, idleTransactionMs }: WaitLimits): pg.ClientConfig {
  return {
    options: [
      `-c statement_timeout=${statementMs}`,
      `-c lock_timeout=${lockMs}`,
      `-c idle_in_transaction_session_timeout=${idleTransactionMs}`,
    ].join(' '),
  };
}

/** The limits as statements of a transaction. */
export function limitStatements({ statementMs, lockMs, idleTransactionMs }: WaitLimits): string {
  return [
    `set local statement_timeout = ${statementMs}`,
    `set local lock_timeout = ${lockMs}`,
    `set local idle_in_transaction_session_timeout = ${idleTransactionMs}`,
  ].join('; ');
}
