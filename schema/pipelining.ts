import {
  CompiledQuery,
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

/** Statements that are prepared at most, and how long their text may be, in characters. */
const mostPrepared = 300;
const longestPrepared = 8_000;

/** A prepared statement whose tables were changed since: its connection can't run it any more. */
const outdatedPlan = '0A000';

/**
 * Kysely over a pool whose connections pipeline (`pipeline: true`). Statements that are begun together, as in
 * `Promise.all`, travel together, within a transaction too:
 * 1. They run in the order in which they were begun, each with its own view of what is committed (read committed,
 *    unless the transaction asks for more).
 * 2. Once one of them failed, the transaction takes no other; once it has ended, neither.
 * 3. A statement is parsed and planned once for each connection.
 */
export function openPipelined<Tables>(pool: pg.Pool): Kysely<Tables> {
  const dialect = new PostgresDialect({ pool });
  const driver = pipeliningDriver(pool);
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

function pipeliningDriver(pool: pg.Pool): Driver {
  const names = new Map<string, string>();
  const run = async (connection: DatabaseConnection, text: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  const end = (connection: DatabaseConnection, text: string): Promise<void> => {
    pooled(connection).transaction = undefined;
    return run(connection, text);
  };
  return {
    init: () => Promise.resolve(),
    acquireConnection: async () => new PooledConnection(await pool.connect(), names),
    releaseConnection: (connection) => {
      pooled(connection).release();
      return Promise.resolve();
    },
    // Not waited for: the first statement travels with it, and fails as it does where the connection is lost.
    beginTransaction: (connection, settings) => {
      pooled(connection).transaction = Symbol('transaction');
      run(connection, beginningWith(settings)).catch(() => undefined);
      return Promise.resolve();
    },
    commitTransaction: (connection) => end(connection, 'commit'),
    rollbackTransaction: (connection) => end(connection, 'rollback'),
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
  if (!(connection instanceof PooledConnection)) throw new Error('A connection of another driver came here.');
  return connection;
}

class PooledConnection implements DatabaseConnection {
  /** The one that is open on it. */
  transaction: symbol | undefined;
  private isOutdated = false;
  private readonly client: pg.PoolClient;
  private readonly names: Map<string, string>;

  constructor(client: pg.PoolClient, names: Map<string, string>) {
    this.client = client;
    this.names = names;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const name = parameters.length === 0 ? undefined : nameOf(sql, this.names);
    const statement = { text: sql, values: [...parameters], ...(name === undefined ? {} : { name }) };
    this.gatherWrites();
    try {
      const { command, rowCount, rows } = await this.client.query(statement);
      if (command === 'SELECT' || rowCount === null) return { rows: rows as Row[] };
      return { rows: rows as Row[], numAffectedRows: BigInt(rowCount) };
    } catch (error) {
      if ((error as { code?: unknown }).code === outdatedPlan) this.isOutdated = true;
      throw error;
    }
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
    throw new Error('Rows are not streamed here: page through them.');
  }

  release(): void {
    this.client.release(this.isOutdated);
  }
}

function nameOf(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text);
  if (known !== undefined || text.length > longestPrepared || names.size >= mostPrepared) return known;
  const name = `p${names.size + 1}`;
  names.set(text, name);
  return name;
}
