import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** The database and the model of the control with work. */
export interface WorkPlace {
  readonly databaseUrl: string;
  /** The base URL that OpenAI's clients take. */
  readonly modelUrl: string;
}

/**
 * The least work of any agent that keeps its turns in a database: a transaction that finds a row, changes it and adds
 * another; and for a step, a model call between two such transactions.
 */
export function workingActivities({ databaseUrl, modelUrl }: WorkPlace) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
  const made = pool.query(
    'create table if not exists bench_rows (id text primary key, turn text not null, changed integer not null default 0)',
  );
  const transact = async (turn: string): Promise<void> => {
    await made;
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query({
        name: 'find',
        text: 'select * from bench_rows where id = $1 for update',
        values: [turn],
      });
      await client.query({
        name: 'add',
        text: 'insert into bench_rows (id, turn) values ($1, $2)',
        values: [randomUUID(), turn],
      });
      await client.query({
        name: 'change',
        text: 'update bench_rows set changed = changed + 1 where id = $1',
        values: [turn],
      });
      await client.query('commit');
    } finally {
      client.release();
    }
  };
  const ask = async (): Promise<void> => {
    const response = await fetch(`${modelUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'say',
        stream: true,
        tools: [],
        messages: [{ role: 'user', content: 'Good morning. I like the sea.' }],
      }),
    });
    if (!response.ok) throw new Error(`The model answered ${response.status}.`);
    await response.text();
  };
  return {
    transact,
    async step(turn: string): Promise<void> {
      await transact(turn);
      await ask();
      await transact(turn);
    },
  };
}

export type WorkingActivities = ReturnType<typeof workingActivities>;
