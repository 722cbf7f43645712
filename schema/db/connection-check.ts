import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { SettingsError } from '../../adapters/settings/settings-error.js';
import { socketOptions, startupOptions, type WaitLimits } from './wait-limits.js';

/** The two URLs of the database. */
export interface DatabaseUrls {
  readonly databaseUrl: string;
  readonly databaseDirectUrl: string;
}

const channel = 'perdure_check';
/** How long a notification may take, in ms. */
const patienceMs = 5_000;

/**
 * Checks that the direct URL gives each connection a session of its own, which LISTEN, migrations and session locks
 * need, and that both URLs lead to the same database. Throws SettingsError that says what to set, or the connection's
 * own error.
 */
export async function checkConnections(ways: DatabaseUrls, limits: WaitLimits): Promise<void> {
  const { databaseUrl, databaseDirectUrl } = ways;
  const isPooled = databaseUrl !== databaseDirectUrl;
  const variable = isPooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const direct = () => connect(databaseDirectUrl, startupOptions(limits), limits).catch(orPooler(variable));
  await using(direct, async (one) => {
    await using(direct, async (other) => {
      if (!(await isOwnSession(one, other))) throw pooler(variable);
    });
    if (!isPooled) return;
    const through = () => connect(databaseUrl, {}, limits);
    await using(through, async (pooled) => {
      if ((await placeOf(pooled)) !== (await placeOf(one))) throw elsewhere();
    });
  });
}

async function connect(url: string, options: pg.ClientConfig, limits: WaitLimits): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...socketOptions(limits), ...options });
  // Without a listener, a broken connection would end the process. Its user gets the error anyway.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function using<T>(open: () => Promise<pg.Client>, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await open();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A pooler would give the session that one client released to the other, with its notifications. */
async function isOwnSession(one: pg.Client, other: pg.Client): Promise<boolean> {
  if ((await sessionOf(one)) === (await sessionOf(other))) return false;
  const word = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  const heard = new Promise<boolean>((resolve) => {
    one.on('notification', ({ payload }) => {
      if (payload === word) resolve(true);
    });
    timer = setTimeout(() => {
      resolve(false);
    }, patienceMs);
  });
  await one.query(`listen ${channel}`);
  await other.query('select pg_notify($1, $2)', [channel, word]);
  return heard.finally(() => {
    clearTimeout(timer);
  });
}

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/** Identifies the database and its server until the server restarts. */
async function placeOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ place: string }>(
    'select format($1, current_database(), pg_postmaster_start_time()) as place',
    ['%s since %s'],
  );
  return rows[0]?.place;
}

/** Poolers refuse session parameters that they can't keep. */
function orPooler(variable: string) {
  return (error: unknown): never => {
    if (error instanceof Error && /startup parameter|startup option/i.test(error.message))
      throw pooler(variable);
    throw error;
  };
}

function pooler(variable: string): SettingsError {
  const what =
    'leads through a pooler, but LISTEN, migrations and locks need a session of their own. Set DATABASE_DIRECT_URL to the PostgreSQL server itself';
  const message = variable === 'DATABASE_URL' ? `${what}, and leave this one as it is.` : `${what}.`;
  return new SettingsError([{ variable, message }]);
}

function elsewhere(): SettingsError {
  const message = 'leads to another database than DATABASE_URL. Set both to the same one.';
  return new SettingsError([{ variable: 'DATABASE_DIRECT_URL', message }]);
}
