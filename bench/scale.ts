import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { readSettings } from '../adapters/settings/settings.js';
import { type Database, openDatabase } from '../schema/db/database.js';
import { sessionLimits } from '../schema/db/wait-limits.js';
import { clusterFiles, clusterName } from '../stack/postgres-cluster.js';
import { withClient } from '../stack/postgres-database.js';
import { type Stack, startStack } from '../stack/stack.js';
import { waitFor } from '../stack/waiting.js';
import { fillDatabase, type FillSize, scaledSize } from '../test/support/scale/fill.js';
import { idsOfAgent } from '../test/support/scale/filled-ids.js';
import {
  largeTables,
  type Plan,
  type Reading,
  readingsOf,
  recordPlans,
  scansAmong,
  type TableSize,
} from '../test/support/scale/plans.js';
import {
  type ApiDescription,
  makeDeletable,
  type Visit,
  visitDeletes,
  visitReads,
} from '../test/support/scale/visits.js';
import { compareAges } from './ages.js';
import { makeAgent, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { type Flags, judged, print, shown, summarise, table, timed } from './figures.js';

/** What a turn may cost beside one in an empty database. */
const aim = 1.15;
/** Smaller tables are read as a whole where that is quicker. */
const largeFrom = 15_000;
const rounds = 6;
const turnsOfRound = 15;

const vectorWherePossible = `do $$ begin
  if exists (select from pg_available_extensions where name = 'vector') then create extension vector; end if;
end $$`;

/** A filled database with a stack of its own. */
interface Filled {
  readonly stack: Stack;
  /** Connected as the superuser. */
  readonly database: Database;
  readonly size: FillSize;
}

/** Finds table scans and slower turns in a database of millions of rows. `--smaller=100` divides the number of rows. */
export async function benchScale(bench: BenchStack, flags: Flags): Promise<void> {
  const size = scaledSize(Number(flags['smaller'] ?? 1));
  const home = mkdtempSync(join(tmpdir(), 'perdure-bench-scale-'));
  const { stack, database } = await startBeside(bench, home);
  try {
    const startedAt = performance.now();
    const agentId = await makeAgent(stack, 'append-4');
    await say(stack, agentId);
    await fillDatabase(database.db, agentId, size);
    const seconds = (performance.now() - startedAt) / 1_000;
    print(`\n## Scale: ${sizeShown(size)} (filled in ${seconds.toFixed(0)} s)\n`);
    const filled = { stack, database, size };
    await compareTurns(bench, filled);
    print('');
    await compareAges(stack, database.db);
    await findScans(bench, filled);
  } finally {
    await database.close();
    await stack.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

function sizeShown(size: FillSize): string {
  const counts = Object.entries(size).map(
    ([name, count]) => `${(count as number).toLocaleString('en')} ${name}`,
  );
  return `${counts.join(', ')}, one effect per step`;
}

/** Starts server and worker on another database of the same PostgreSQL and another task queue of the same Temporal. */
async function startBeside(bench: BenchStack, home: string): Promise<{ stack: Stack; database: Database }> {
  const programsUrl = new URL(bench.stack.databaseUrl);
  const password = readFileSync(clusterFiles(join(bench.stack.home, 'postgres')).password, 'utf8').trim();
  const adminUrl = Object.assign(new URL(programsUrl), { username: clusterName, password }).href;
  await withClient(adminUrl, (client) => client.query(`create database scale owner ${programsUrl.username}`));
  const scaleOf = (url: string): string => Object.assign(new URL(url), { pathname: '/scale' }).href;
  const url = scaleOf(programsUrl.href);
  await withClient(scaleOf(adminUrl), (client) => client.query(vectorWherePossible));
  const env = {
    ...bench.env,
    PERDURE_HOME: home,
    DATABASE_URL: url,
    TEMPORAL_ADDRESS: bench.stack.temporalAddress,
    PERDURE_TASK_QUEUE: 'scale',
  };
  const stack = await startStack(readSettings(env), { env, onProgress: () => undefined });
  return { stack, database: openDatabase(scaleOf(adminUrl), { limits: sessionLimits }) };
}

/** Compares turns in both databases: of new agents, and of agents that the filled database already has. */
async function compareTurns(bench: BenchStack, { stack, size }: Filled): Promise<void> {
  const sides = [
    {
      name: 'empty database',
      times: [] as number[],
      on: bench.stack,
      agent: () => makeAgent(bench.stack, 'append-4'),
    },
    {
      name: 'filled, new agent',
      times: [] as number[],
      on: stack,
      agent: () => makeAgent(stack, 'append-4'),
    },
    {
      name: 'filled, existing agent',
      times: [] as number[],
      on: stack,
      agent: () => Promise.resolve(filledAgent(Math.floor(Math.random() * size.agents))),
    },
  ];
  for (let round = -1; round < rounds; round += 1) {
    for (const { times, on, agent } of sides) {
      const agentId = await agent();
      // An agent's first turn also compiles its prompt.
      await say(on, agentId);
      const taken = await timed(turnsOfRound, () => say(on, agentId));
      if (round >= 0) times.push(...taken);
    }
  }
  const [empty] = sides.map(({ times }) => summarise(times).p50);
  const rows = sides.map(({ name, times }, index) => {
    const { p50, p95 } = summarise(times);
    const share = p50 / (empty ?? NaN);
    return [name, shown(p50), shown(p95), index === 0 ? '' : judged(share, aim, 'lower')];
  });
  print(table([['turn of five steps', 'p50 ms', 'p95 ms', '÷ empty'], ...rows]));
}

/** Reads the plans of every statement of turns, lists, sweep, deletes and purge. A scan of a large table sets the exit code. */
async function findScans(bench: BenchStack, filled: Filled): Promise<void> {
  const { stack, database, size } = filled;
  const record = await recordPlans(database.db, join(bench.stack.home, 'postgres', 'postgres.log'));
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(database.db);
  const tables = await largeTables(database.db, largeFrom);
  const rows: string[][] = [];
  const scans: Reading[] = [];
  const judge = (what: string, plans: readonly Plan[]): void => {
    const readings = readingsOf(plans);
    const found = scansAmong(readings, tables);
    scans.push(...found);
    rows.push([
      what,
      String(new Set(plans.map((plan) => plan.statement)).size),
      ...largest(readings, tables),
      String(found.length),
    ]);
  };
  const visit = visitor(stack);
  const description = (await visit('GET', '/openapi.json')).body as ApiDescription;
  for (const agentId of [await makeAgent(stack, 'append-4'), filledAgent(7)]) await say(stack, agentId);
  judge('turns, with sweeps', record.read());
  await visitReads(visit, description, await idsOfAgent(database.db, filledAgent(3)));
  judge('lists and reads', record.read());
  const made = await makeDeletable(visit, filledAgent(5));
  const ids = { ...(await idsOfAgent(database.db, filledAgent(5))), ...made };
  await visitDeletes(visit, description, ids);
  judge('deletes', record.read());
  await sql`update agents set deleted_at = now() - interval '1 hour' where id = ${filledAgent(11)}`.execute(
    database.db,
  );
  const purged = await waitFor(async () => (await isGone(database, filledAgent(11))) || undefined, {
    timeoutMs: 60_000,
  });
  if (purged !== true) throw new Error('The sweep did not purge the agent.');
  judge('sweep and purge', record.read());
  await record.stop();
  print(
    `\nRows that statements read from tables of more than ${largeFrom.toLocaleString('en')} rows (${tables.size} tables):\n`,
  );
  print(table([['work', 'statements', 'largest read', 'rows of that table', 'scans'], ...rows]));
  for (const { table: name, how, rows: read, statement } of scans) {
    print(`\nSCANS ${name} (${how}, ${read} rows, at ${size.turns} turns): ${statement.slice(0, 400)}`);
  }
  if (scans.length > 0) process.exitCode = 1;
}

function largest(
  readings: readonly Reading[],
  tables: ReadonlyMap<string, TableSize>,
): readonly [string, string] {
  const [most] = readings.filter((one) => tables.has(one.table)).sort((one, other) => other.rows - one.rows);
  if (most === undefined) return ['–', '–'];
  const all = tables.get(most.table)?.rows ?? NaN;
  return [`${most.rows.toLocaleString('en')} rows by ${most.how}`, all.toLocaleString('en')];
}

async function isGone({ db }: Database, agentId: string): Promise<boolean> {
  return (await db.selectFrom('agents').select('id').where('id', '=', agentId).execute()).length === 0;
}

function filledAgent(index: number): string {
  return `agent-00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
}

function visitor({ api }: Stack): Visit {
  return async (method, path, body) => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'x-request-id': randomUUID(), ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${api}${path}`, { method, headers, ...given });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
  };
}
