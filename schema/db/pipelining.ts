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
 * Kysely over a pool whose connections pipeline (`pipeline: true`). Statements that start together, as in `Promise.all`,
 * are sent together, also within a transaction:
 * 1. They run in the order in which they started. Each sees what is committed when it runs (read committed, unless the
 *    transaction asks for more).
 * 2. A transaction takes no more statements after one of them failed, or after its end. A commit may be requested before
 *    its statements have answered. It then fails with the error of the first statement that failed.
 * 3. Each connection parses and plans a statement once. An outdated plan is made again; in a transaction it is an error,
 *    and the transaction may be repeated (`isStale`).
 * 4. Each transaction starts with the statements `first`. If there are any, every statement runs in a transaction.
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
      // Without waiting if possible, so that a statement is sent before an end that is requested after it.
      const connection = held ?? (await holding);
      transaction ??= connection.transaction;
      // A late statement must not run outside its transaction.
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
    // Not awaited: the first statement is sent with it, and fails too if the connection is lost.
    beginTransaction: (connection, settings) => {
      pooled(connection).begin(beginningWith(settings));
      return Promise.resolve();
    },
    commitTransaction: (connection) => pooled(connection).end('commit'),
    rollbackTransaction: (connection) => pooled(connection).end('rollback'),
    destroy: () => pool.end(),
  };
}

// Kysely has validated both.
function beginningWith({ isolationLevel, accessMode }: TransactionSettings): string {
  const isolation = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
  return `start transaction${isolation}${accessMode === undefined ? '' : ` ${accessMode}`}`;
}

/** The connection as one of the driver below. Kysely passes no other. */
function pooled(connection: DatabaseConnection): PooledConnection {
  if (!(connection instanceof PooledConnection))
    throw new Error('The connection was opened by another driver.');
  return connection;
}

class PooledConnection implements DatabaseConnection {
  /** The open transaction. */
  transaction: symbol | undefined;
  /** The first error in the transaction. */
  private failure: unknown;
  /** The transaction's newest statement. When it has answered, all have. */
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
    // PostgreSQL answers ROLLBACK to the commit of a transaction in which a statement has failed.
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
      // Later statements fail with an error that does not name the cause.
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

  /** Sends statements that start together in one write, which costs as much as the rest of a statement's work. */
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
