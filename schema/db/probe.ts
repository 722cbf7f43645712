import pg from 'pg';

/** Asks a database whether it answers. */
export interface DatabaseProbe {
  /** False where it does not within the deadline. Whoever asks meanwhile shares the question. */
  answers(): Promise<boolean>;
  close(): Promise<void>;
}

/** By a connection of its own: one that had to wait for others' would ask whether the pool is busy. */
export function openDatabaseProbe(databaseUrl: string, deadlineMs = 1_000): DatabaseProbe {
  let client: pg.Client | undefined;
  let asking: Promise<boolean> | undefined;

  const leave = (): void => {
    // Not waited for: a connection that broke may never say that it ended.
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
  // The next question is told of it.
  fresh.on('error', () => undefined);
  try {
    await fresh.connect();
  } catch (error) {
    fresh.end().catch(() => undefined);
    throw error;
  }
  return fresh;
}
