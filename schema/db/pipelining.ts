import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  type Driver,
  Kysely,
  PostgresDialect,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import { createPreparedNames, isStale, type PreparedNames } from './prepared-names.js';

/** A statement of a transaction that has failed already. */
const inFailedTransaction = '25P02';

/**
 * Kysely over a pool whose connections pipeline (`pipeline: true`). Statements that are begun together, as in
 * `Promise.all`, travel together, within a transaction too:
 * 1. They run in the order in which they were begun, each with its own view of what is committed (read committed,
 *    unless the transaction asks for more).
 * 2. Once one of them failed, the transaction takes no other; once it has ended, neither. A commit may be asked for
 *    before its statements have answered: it fails with the error of the first that failed.
 * 3. A statement is parsed and planned once for each connection. Where that is outdated it is done again; a transaction
 *    fails by it, and may be begun again (`isStale`).
 * 4. Each transaction starts with the statements `first`. Where there are any, every statement is one of a transaction.
 */
export function openPipelined<Tables>(pool: pg.Pool, first = ''): Kysely<Tables> {
  const dialect = new PostgresDialect({ pool });
  const driver = pipeliningDriver(pool, first);
  const executor = new PipeliningExecutor(
    dialect.createQueryCompiler(),
    dialect.createAdapter(),
    new DefaultConnectionProvider(driver),
  );
  return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor });
}

/** Kysely lets a transaction's statements wait for each other; this one only keeps their order. */
class PipeliningExecutor extends DefaultQueryExecutor {
  override withConnectionProvider(provider: ConnectionProvider): DefaultQueryExecutor {
    return super.withConnectionProvider(withoutWaiting(provider));
  }
}

function withoutWaiting(provider: ConnectionProvider): ConnectionProvider {
  let held: PooledConnection | undefined;
  const holding = provider.provideConnection((connection) => {
    held = pooled(connection);
    return Promise.resolve(held);
  });
  let transaction: symbol | undefined;
  return {
    async provideConnection(use) {
      // At once where it can be: what is begun before the transaction's end is asked for is sent before it.
      const connection = held ?? (await holding);
      transaction ??= connection.transaction;
      // What is late must not be written for itself, outside of the transaction that it belongs to.
      if (transaction !== undefined && connection.transaction !== transaction) {
        throw new Error('The transaction has ended.');
      }
      return use(connection);
    },
  };
}

function pipeliningDriver(pool: pg.Pool, first: string): Driver {
  const names = createPreparedNames();
  return {
    init: () => Promise.resolve(),
    acquireConnection: async () => new PooledConnection(await pool.connect(), { names, first }),
    releaseConnection: (connection) => {
      pooled(connection).release();
      return Promise.resolve();
    },
    // Not waited for: the first statement travels with it, and fails as it does where the connection is lost.
    beginTransaction: (connection, settings) => {
      pooled(connection).begin(beginningWith(settings));
      return Promise.resolve();
    },
    commitTransaction: (connection) => pooled(connection).end('commit'),
    rollbackTransaction: (connection) => pooled(connection).end('rollback'),
    destroy: () => pool.end(),
  };
}

// Kysely has checked both against its lists by now.
function beginningWith({ isolationLevel, accessMode }: TransactionSettings): string {
  const isolation = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
  return `start transaction${isolation}${accessMode === undefined ? '' : ` ${accessMode}`}`;
}

/** A connection of the driver below: no other ever comes here. */
function pooled(connection: DatabaseConnection): PooledConnection {
  if (!(connection instanceof PooledConnection)) throw new Error('The connection was opened by another driver.');
  return connection;
}

class PooledConnection implements DatabaseConnection {
  /** The one that is open on it. */
  transaction: symbol | undefined;
  /** What the transaction failed with first. */
  private failure: unknown;
  /** The transaction's newest statement: once it has answered, all have. */
  private newest: Promise<unknown> = Promise.resolve();
  private readonly client: pg.PoolClient;
  private readonly names: PreparedNames;
  private readonly first: string;

  constructor(client: pg.PoolClient, { names, first }: { names: PreparedNames; first: string }) {
    this.client = client;
    this.names = names;
    this.first = first;
  }

  begin(text: string): void {
    this.transaction = Symbol('transaction');
    this.failure = undefined;
    this.send({ text: this.first === '' ? text : `${text}; ${this.first}` }).catch(() => undefined);
  }

  async end(text: 'commit' | 'rollback'): Promise<void> {
    this.transaction = undefined;
    const { command } = await this.send({ text });
    // What PostgreSQL answers to the commit of a transaction in which a statement has failed.
    if (text === 'rollback' || command !== 'ROLLBACK') return;
    await this.newest.catch(() => undefined);
    throw this.failure;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = { text: sql, values: [...parameters] };
    if (this.transaction !== undefined) {
      const answer = this.executeWithin<Row>(statement);
      this.newest = answer;
      return answer;
    }
    try {
      return await this.executeAlone(statement);
    } catch (error) {
      if (!isStale(error)) throw error;
      return this.executeAlone(statement);
    }
  }

  private async executeWithin<Row>(statement: Statement): Promise<QueryResult<Row>> {
    try {
      return toResult(await this.sendPrepared(statement));
    } catch (error) {
      this.failure ??= error;
      // What the others of its transaction fail with says nothing of why.
      throw (error as { code?: unknown }).code === inFailedTransaction ? this.failure : error;
    }
  }

  private async executeAlone<Row>(statement: Statement): Promise<QueryResult<Row>> {
    if (this.first === '') return toResult(await this.sendPrepared(statement));
    const begun = this.send({ text: `start transaction; ${this.first}` });
    const answered = this.sendPrepared(statement);
    const [, answer] = await Promise.all([begun, answered, this.send({ text: 'commit' })]);
    return toResult(answer);
  }

  private async sendPrepared(statement: Statement): Promise<pg.QueryResult> {
    const name = statement.values.length === 0 ? undefined : this.names.nameOf(statement.text);
    try {
      return await this.send({ ...statement, ...(name === undefined ? {} : { name }) });
    } catch (error) {
      this.names.learnFrom(error, name);
      throw error;
    }
  }

  private send(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    this.gatherWrites();
    return this.client.query(statement);
  }

  /** What is begun together leaves in one write: a write costs as much as all else that is done for a statement. */
  private gatherWrites(): void {
    const { stream } = this.client.connection;
    stream.cork();
    process.nextTick(() => {
      stream.uncork();
    });
  }

  streamQuery(): never {
    throw new Error('This driver does not stream rows. Page through them.');
  }

  release(): void {
    this.client.release();
  }
}

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

function toResult<Row>({ command, rowCount, rows }: pg.QueryResult): QueryResult<Row> {
  if (command === 'SELECT' || rowCount === null) return { rows: rows as Row[] };
  return { rows: rows as Row[], numAffectedRows: BigInt(rowCount) };
}
