import pg from 'pg';

/** Checks whether a database answers. */
export interface DatabaseProbe {
  /** False where it does not answer within the deadline. Concurrent calls share one check. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

/** Uses a connection of its own, because one of the pool's may be busy. */
export function openDatabaseProbe(databaseUrl: string, deadlineMs = 1_000): DatabaseProbe {
  let client: pg.Client | undefined;
  let asking: Promise<boolean> | undefined;

  const leave = (): void => {
    // Not awaited: a broken connection may never report its end.
    client?.end().catch(() => undefined);
    client = undefined;
  };
  const ask = async (): Promise<boolean> => {
    try {
      client ??= await connect(databaseUrl, deadlineMs);
      await client.query('select 1');
      return true;
    } catch {
      leave();
      return false;
    }
  };
  return {
    answers: () =>
      (asking ??= ask().finally(() => {
        asking = undefined;
      })),
    async close() {
      await asking;
      leave();
    },
  };
}

async function connect(connectionString: string, deadlineMs: number): Promise<pg.Client> {
  const fresh = new pg.Client({
    connectionString,
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
  });
  // The next check reports it.
  fresh.on('error', () => undefined);
  try {
    await fresh.connect();
  } catch (error) {
    fresh.end().catch(() => undefined);
    throw error;
  }
  return fresh;
}
