import { sql } from 'kysely';
import { waitFor } from '../../stack/waiting.js';
import { post } from '../api.js';
import type { BenchStack } from '../bench-stack.js';
import { print, requireKept, table } from '../figures.js';
import { createAgent, tell } from './agents.js';
import { whileKilling } from './killing.js';

const sizes = { short: { count: 60, killed: 4 }, full: { count: 300, killed: 12 } };
const frequency = 3;
const patienceMs = 120_000;

/** A sleep-time partner writes down each saying while workers are killed. Each must be there exactly once. */
export async function benchSleep(bench: BenchStack, isFull: boolean): Promise<void> {
  const { count, killed } = isFull ? sizes.full : sizes.short;
  const progress = { told: 0 };
  const agentId = await createAgent(bench.stack, { model: 'openai/say', enable_sleeptime: true });
  const group = await groupOf(bench, agentId);
  const { kills } = await whileKilling(
    bench.stack,
    { done: () => progress.told, of: count, kills: killed },
    talkAndRefine(bench, { agentId, group, count, progress }),
  );
  const value = await notesOf(bench, agentId);
  const times = Array.from(
    { length: count },
    (_, saying) => value.split(`heard saying-${saying}.`).length - 1,
  );
  const lost = times.filter((heard) => heard === 0).length;
  const doubled = times.filter((heard) => heard > 1).length;
  requireKept(lost === 0 && doubled === 0);
  print(`\n## Sleep: ${count} turns, a refinement every ${frequency} turns, ${kills} kills of the worker\n`);
  const rows = await refinementsOf(bench, group);
  print(
    table([
      ['sayings', 'never written down', 'twice or more', 'refinements', 'model calls of the partner'],
      [String(count), String(lost), String(doubled), rows.ended, rows.calls],
    ]),
  );
}

interface Sleeper {
  readonly agentId: string;
  readonly group: string;
  readonly count: number;
  readonly progress: { told: number };
}

async function talkAndRefine(bench: BenchStack, { agentId, group, count, progress }: Sleeper): Promise<void> {
  for (let saying = 0; saying < count; saying += 1) {
    const { end } = await tell(bench.stack, agentId, `This is saying-${saying}, of the bees of Bergen.`);
    if (end !== 'end_turn') throw new Error(`A turn ended with ${end}.`);
    progress.told += 1;
  }
  // Refines the messages after the last refinement that the turns requested.
  await post(bench.stack, `/v1/groups/${group}/refine`, {});
  const isDone = async (): Promise<true | undefined> => {
    const { rows } = await sql<{ busy: boolean }>`
      select exists (select from refinement_requests where group_id = ${group} and state = 'waiting')
        or exists (select from refinements where group_id = ${group} and state = 'running') as busy`.execute(
      bench.database.db,
    );
    return rows[0]?.busy === false ? true : undefined;
  };
  if ((await waitFor(isDone, { timeoutMs: patienceMs, everyMs: 200 })) === undefined)
    throw new Error('The refinements did not end in time.');
}

async function groupOf({ stack, database: { db } }: BenchStack, agentId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from groups where manager_agent_id = ${agentId}`.execute(db);
  const id = rows[0]?.id ?? '';
  const response = await fetch(`${stack.api}/v1/groups/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      manager_config: { manager_type: 'sleeptime', sleeptime_agent_frequency: frequency },
    }),
  });
  if (!response.ok) throw new Error(`PATCH of group ${id}: ${await response.text()}`);
  return id;
}

async function notesOf({ stack }: BenchStack, agentId: string): Promise<string> {
  const response = await fetch(`${stack.api}/v1/agents/${agentId}/core-memory/blocks/human`);
  return ((await response.json()) as { value: string }).value;
}

async function refinementsOf(
  { database: { db } }: BenchStack,
  group: string,
): Promise<{ readonly ended: string; readonly calls: string }> {
  const { rows } = await sql<{ state: string; count: string }>`
    select state, count(*)::text as count from refinements where group_id = ${group} group by state`.execute(
    db,
  );
  const { rows: steps } = await sql<{ count: string }>`
    select count(*)::text as count from steps join group_agents using (agent_id)
    where group_id = ${group}`.execute(db);
  return {
    ended: rows.map(({ state, count }) => `${count} ${state}`).join(', '),
    calls: steps[0]?.count ?? '0',
  };
}
