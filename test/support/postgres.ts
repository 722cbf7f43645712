import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { waitFor } from '../../stack/waiting.js';
import { readTestState } from './test-state.js';

/** A database of a test's own, with all migrations run. */
export interface TestDatabase {
  readonly url: string;
  /** Ends whoever is connected to it. */
  readonly drop: () => Promise<void>;
}

const objectInUse = '55006';

/** Clones the template: some 30 ms. Throws what the migrations threw, if they failed. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, template, failures } = readTestState();
  if (failures.template !== undefined) throw new Error(`The migrations failed: ${failures.template}`);
  const name = `test_${randomBytes(6).toString('hex')}`;
  // A template cannot be cloned while another clone of it begins.
  const made = await waitFor(() => cloneOnce(adminUrl, name, template), { timeoutMs: 90_000, everyMs: 50 });
  if (made !== true) throw new Error(`The database ${template} stays in use: something is connected to it.`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => execute(adminUrl, `drop database if exists ${name} with (force)`),
  };
}

/** True when the test server has pgvector, so that both archival stores can be tested. */
export function hasVector(): boolean {
  return readTestState().vector;
}

async function cloneOnce(adminUrl: string, name: string, template: string): Promise<true | undefined> {
  try {
    await execute(adminUrl, `create database ${name} template ${template}`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === objectInUse) return undefined;
    throw error;
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
