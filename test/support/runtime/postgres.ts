import { randomBytes } from 'node:crypto';
import { withClient } from '../../../stack/postgres-database.js';
import { waitFor } from '../../../stack/waiting.js';
import { readTestState } from '../run/test-state.js';

/** A database of a test's own, with all migrations run. */
export interface TestDatabase {
  /** With the role that worker and server have: what needs a superuser fails. */
  readonly url: string;
  readonly adminUrl: string;
  /** Ends whoever is connected to it. */
  readonly drop: () => Promise<void>;
}

const objectInUse = '55006';

/** Clones the template. Throws what the migrations threw, if they failed. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, programsUrl, template, failures } = readTestState();
  if (failures.template !== undefined) throw new Error(`The migrations failed: ${failures.template}`);
  const name = `test_${randomBytes(6).toString('hex')}`;
  const owner = new URL(programsUrl).username;
  // Through the write-ahead log, as by default, a clone and its drop compute twice as long.
  const statement = `create database ${name} template ${template} strategy file_copy owner ${owner}`;
  // A template cannot be cloned while another clone of it begins.
  const made = await waitFor(() => cloneOnce(adminUrl, statement), { timeoutMs: 90_000, everyMs: 50 });
  if (made !== true) throw new Error(`The database ${template} stays in use: something is connected to it.`);
  const within = (url: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  return {
    url: within(programsUrl),
    adminUrl: within(adminUrl),
    drop: async () => {
      await execute(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

/** True when the test server has pgvector, so that both archival stores can be tested. */
export function hasVector(): boolean {
  return readTestState().vector;
}

async function cloneOnce(adminUrl: string, statement: string): Promise<true | undefined> {
  try {
    await execute(adminUrl, statement);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === objectInUse) return undefined;
    throw error;
  }
}

function execute(url: string, statement: string): Promise<unknown> {
  return withClient(url, (client) => client.query(statement));
}
