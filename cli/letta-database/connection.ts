import type { Client } from 'pg';
import { CommandFailure } from '../failure.js';
import { readTables } from './tables.js';

/** Asks the database. The columns are as the statement names them, which the compiler can't see. */
export type Ask = <Row extends object>(statement: string, values?: readonly unknown[]) => Promise<Row[]>;

const connectMs = 10_000;

/**
 * Reads one snapshot of a Letta database, while others may write to it, and changes nothing. Throws
 * CommandFailure for an address that can't be reached and for a database that is not Letta's.
 */
export async function readLettaDatabase<T>(url: string, read: (ask: Ask) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    const ask = async <Row extends object>(
      statement: string,
      values: readonly unknown[] = [],
    ): Promise<Row[]> => (await client.query<Row>(statement, [...values])).rows;
    await ask('begin isolation level repeatable read read only');
    await refuseOthers(ask, nameOf(client));
    return await read(ask);
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<Client> {
  // Letta's own setting may name a driver of Python's.
  const plain = url.replace(/^(postgres(?:ql)?)\+\w+:/, '$1:');
  if (!/^postgres(ql)?:\/\//.test(plain)) {
    throw new CommandFailure('usage', 'Give an address such as postgres://letta:password@localhost/letta.');
  }
  const { default: pg } = await import('pg');
  const client = open(() => new pg.Client({ connectionString: plain, connectionTimeoutMillis: connectMs }));
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => undefined);
    throw unreachable(client, error);
  }
  return client;
}

function open(make: () => Client): Client {
  try {
    return make();
  } catch (error) {
    throw new CommandFailure('usage', `The database's address can't be read: ${(error as Error).message}.`);
  }
}

/** Host and database: the address may hold a password. */
function nameOf({ host, port, database }: Client): string {
  return `${host}:${port}/${database ?? ''}`;
}

const refusals = new Set(['28P01', '28000']);

function unreachable(client: Client, error: unknown): CommandFailure {
  const { code, message } = error as { code?: string; message: string };
  const why = message === '' ? (code ?? '') : message;
  const name = nameOf(client);
  if (code === '3D000') return new CommandFailure('usage', `There is no database at ${name}: ${why}.`);
  if (code !== undefined && refusals.has(code))
    return new CommandFailure('unauthorized', `The database at ${name} refuses its user: ${why}.`);
  return new CommandFailure('unreachable', `No database answers at ${name}: ${why}.`);
}

/** Refuses a database without the tables and columns that are read. */
async function refuseOthers(ask: Ask, name: string): Promise<void> {
  const found = await ask<{ readonly at: string }>(
    `select table_name || '.' || column_name as at from information_schema.columns
     where table_schema = any(current_schemas(false))`,
  );
  const here = new Set(found.map(({ at }) => at));
  const tables = new Set(found.map(({ at }) => at.slice(0, at.indexOf('.'))));
  const wanted = Object.entries(readTables);
  const missing = [
    ...wanted.filter(([table]) => !tables.has(table)).map(([table]) => `table ${table}`),
    ...wanted
      .filter(([table]) => tables.has(table))
      .flatMap(([table, columns]) =>
        columns.map((column) => `${table}.${column}`).filter((at) => !here.has(at)),
      ),
  ];
  if (missing.length === 0) return;
  const told = missing.slice(0, 5).join(', ');
  const more = missing.length > 5 ? ` and ${missing.length - 5} more` : '';
  throw new CommandFailure(
    'usage',
    `${name} is not a database of Letta 0.16. It lacks: ${told}${more}.\n` +
      'Name the database of a Letta server. For one of an older Letta, run the migrations of 0.16 first.',
  );
}
