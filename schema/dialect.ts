import { CompiledQuery, type DatabaseConnection, type Driver, PostgresDialect, PostgresDriver } from 'kysely';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';

/** Statements that each connection keeps prepared at most, and how long their text may be, in characters. */
const mostPrepared = 300;
const longestPrepared = 8_000;

/** A statement that was prepared before somebody changed its tables: the connection can't run it any more. */
const outdatedPlan = '0A000';

/**
 * Postgres over a pool whose connections pipeline (`pipeline: true`): statements that are sent together travel
 * together, and each is parsed and planned once for a connection. Statements of one transaction run in the order in
 * which they were sent, also where nobody waited for the one before.
 */
export class PipeliningDialect extends PostgresDialect {
  private readonly pool: PostgresPool;

  constructor(pool: pg.Pool) {
    const preparing = preparingPool(pool);
    super({ pool: preparing });
    this.pool = preparing;
  }

  override createDriver(): Driver {
    return new PipeliningDriver({ pool: this.pool });
  }
}

class PipeliningDriver extends PostgresDriver {
  // Not waited for: the first statement travels with it. It only fails with the connection, as that one then does.
  override beginTransaction(connection: DatabaseConnection): Promise<void> {
    connection.executeQuery(CompiledQuery.raw('begin')).catch(() => undefined);
    return Promise.resolve();
  }
}

function preparingPool(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect();
      // Kysely knows a connection by its client, so a client has one wrapping for life.
      const known = clients.get(client) ?? preparingClient(client, names);
      clients.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

function preparingClient(client: pg.PoolClient, names: Map<string, string>): PostgresPoolClient {
  let isOutdated = false;
  const query = async (text: string, values: readonly unknown[]): Promise<PostgresQueryResult<unknown>> => {
    const name = values.length === 0 ? undefined : nameOf(text, names);
    try {
      const result = await client.query({
        text,
        values: [...values],
        ...(name === undefined ? {} : { name }),
      });
      return result as unknown as PostgresQueryResult<unknown>;
    } catch (error) {
      if ((error as { code?: unknown }).code === outdatedPlan) isOutdated = true;
      throw error;
    }
  };
  return {
    // Kysely asks for a cursor only where it is configured with one.
    query: query as PostgresPoolClient['query'],
    release: () => {
      client.release(isOutdated);
    },
  };
}

function nameOf(text: string, names: Map<string, string>): string | undefined {
  const known = names.get(text);
  if (known !== undefined || text.length > longestPrepared || names.size >= mostPrepared) return known;
  const name = `p${names.size + 1}`;
  names.set(text, name);
  return name;
}
