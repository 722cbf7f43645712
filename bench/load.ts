import { sql } from 'kysely';
import type { Db } from '../schema/db/database.js';
import { makeAgent, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { cpuTimes } from './cpu.js';
import { print, shown, summarise, table } from './figures.js';

const atOnce = 16;
const lastsMs = 20_000;
/** Turns in this time are not measured: the processes still compile their code. */
const warmUpMs = 8_000;

const shapes = [
  { name: 'one step', model: 'say' },
  { name: 'five steps', model: 'append-4' },
] as const;

/** PostgreSQL's counters so far. */
interface Counted {
  readonly commits: number;
  readonly walBytes: number;
  readonly updates: number;
  readonly hot: number;
  readonly [name: string]: number;
}

/** Measures what a turn costs each process under load. `docs/operations.md` calculates with these figures. */
export async function benchLoad(bench: BenchStack): Promise<void> {
  const rows: string[][] = [];
  const costs: string[][] = [];
  for (const { name, model } of shapes) {
    const agents = await Promise.all(Array.from({ length: atOnce }, () => makeAgent(bench.stack, model)));
    await play(bench, agents, warmUpMs);
    const { db } = bench.database;
    const [before, cpu] = [await counted(db), cpuTimes(bench.pids())];
    const times = await play(bench, agents, lastsMs);
    const after = await counted(db);
    const each = (of: keyof Counted): number => ((after[of] ?? NaN) - (before[of] ?? NaN)) / times.length;
    const temporal = await historyOfTurn(bench, model);
    rows.push([
      ...[name, shown((1_000 * times.length) / lastsMs), shown(summarise(times).p50), shown(each('commits'))],
      ...[shown(each('walBytes') / 1_000), shown(100 * (each('hot') / each('updates')))],
      ...[String(temporal.events), String(temporal.transitions), String(await connections(db))],
    ]);
    costs.push([
      name,
      ...Object.entries(cpuTimes(bench.pids())).map(([part, used]) =>
        shown((used - (cpu[part] ?? 0)) / times.length),
      ),
    ]);
  }
  print(`\n## Load: ${atOnce} agents at once, each with one turn after the other\n`);
  const head = ['turn', 'turns/s', 'p50 ms', 'commits', 'WAL kB', '% of updates of turns that are HOT'];
  print(table([[...head, 'history events', 'state transitions', 'connections'], ...rows]));
  print('\nCPU ms per turn, by process:\n');
  print(table([['turn', ...Object.keys(bench.pids())], ...costs]));
}

/** Gives each agent one turn after the other until the time is over. Returns the turns' times in ms. */
async function play({ stack }: BenchStack, agents: readonly string[], forMs: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + forMs;
  const lane = async (agentId: string): Promise<void> => {
    while (performance.now() < end) {
      const startedAt = performance.now();
      await say(stack, agentId);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(agents.map(lane));
  return times;
}

async function counted(db: Db): Promise<Counted> {
  // Sessions report their counts with a delay of up to a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await sql<Counted>`
    select xact_commit::float8 as commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes",
      n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot
    from pg_stat_database, pg_stat_user_tables
    where datname = current_database() and relname = 'turns'`.execute(db);
  if (rows[0] === undefined) throw new Error('PostgreSQL has no statistics of the table turns.');
  return rows[0];
}

/** Events and state transitions that Temporal writes for a turn. Under load an execution may run several turns. */
async function historyOfTurn(
  { stack, temporal }: BenchStack,
  model: string,
): Promise<{ events: number; transitions: number }> {
  const agentId = await makeAgent(stack, model);
  await say(stack, agentId);
  const execution = temporal.workflow.getHandle(agentId);
  await execution.result();
  const { raw, historyLength } = await execution.describe();
  return {
    events: historyLength,
    transitions: Number(raw.workflowExecutionInfo?.stateTransitionCount ?? NaN),
  };
}

async function connections(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
  return rows[0]?.count ?? NaN;
}
