import { sql } from 'kysely';
import { listOpen } from '../client/executions.js';
import { waitFor } from '../stack/waiting.js';
import { agentTurnType } from '../workflows/protocol.js';
import { makeAgent, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { type Flags, judged, print, shown, summarise } from './figures.js';
import { nextAnswer, tellModel } from './held-answers.js';

const rounds = 5;
const startedAtOnce = 32;
const aimMs = 10_000;
/** Longer than this part takes. */
const slowFor = '6 hours';
const at = { model: 'say', step: 0 };

/**
 * How soon a turn whose execution is gone has another one, among executions that are open in Temporal and silent.
 * `--slow=1000`: so many of them.
 */
export async function benchLost(bench: BenchStack, flags: Flags): Promise<void> {
  const slow = Number(flags['slow'] ?? 10_000);
  const agentId = await makeAgent(bench.stack, at.model);
  await say(bench.stack, agentId);
  const startedAt = performance.now();
  const taskQueue = await queueOf(bench, agentId);
  await makeSlow(bench, { agentId, taskQueue, count: slow });
  const seconds = (performance.now() - startedAt) / 1_000;
  const listing = await timeListing(bench, taskQueue);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await loseOnce(bench));
  const stillOpen = await countOpen(bench);
  print(
    `\n## Lost: a turn without its execution among ${slow} that are slow (made in ${shown(seconds)} s)\n`,
  );
  print(
    `Execution ended until the turn has another one, ms over ${rounds}: median ${judged(summarise(times).p50, aimMs, 'lower')}, worst ${judged(Math.max(...times), aimMs, 'lower')}.`,
  );
  print(`Temporal lists what is open in ${shown(listing)} ms.`);
  // One that is rung for nothing looks at the queue and ends.
  print(`Of the slow ones, rung for nothing: ${judged(slow - stillOpen, 0, 'lower')}.`);
}

/** Threads with a running turn that has been silent for long, each with an execution whose first task is far off. */
async function makeSlow(
  bench: BenchStack,
  { agentId, taskQueue, count }: { agentId: string; taskQueue: string; count: number },
): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `slow-${index}`);
  const { db } = bench.database;
  await sql`
    insert into threads (id, agent_id, is_default)
    select id, ${agentId}, false from unnest(${ids}::text[]) as id`.execute(db);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
      await bench.temporal.workflow.start(agentTurnType, {
        ...{ workflowId: id, taskQueue, args: [{ threadId: id }], startDelay: slowFor },
      });
    }
  };
  await Promise.all(Array.from({ length: startedAtOnce }, lane));
  const open = await waitFor(async () => (await countOpen(bench)) === count || undefined, {
    timeoutMs: 120_000,
  });
  if (open !== true) throw new Error(`Temporal lists ${await countOpen(bench)} of ${count} executions.`);
  // Only now do they count as silent: before, the sweep would have woken them.
  await sql`
    insert into turns (id, thread_id, agent_id, state, execution_id, touched_at)
    select 'run-' || id, id, ${agentId}, 'running', 'slow', now() - interval '1 minute'
    from unnest(${ids}::text[]) as id`.execute(db);
}

async function timeListing(bench: BenchStack, taskQueue: string): Promise<number> {
  const startedAt = performance.now();
  await listOpen(bench.temporal, { type: agentTurnType, taskQueue });
  return performance.now() - startedAt;
}

/** The task queue of an agent's latest execution. */
async function queueOf({ temporal }: BenchStack, agentId: string): Promise<string> {
  return (await temporal.workflow.getHandle(agentId).describe()).taskQueue;
}

async function countOpen({ temporal }: BenchStack): Promise<number> {
  const query = `WorkflowType = '${agentTurnType}' AND ExecutionStatus = 'Running' AND WorkflowId STARTS_WITH 'slow-'`;
  return (await temporal.workflow.count(query)).count;
}

/** Ends a turn's execution in its model call, as an operator would. Returns how long it had none, in ms. */
async function loseOnce(bench: BenchStack): Promise<number> {
  const agentId = await makeAgent(bench.stack, at.model);
  tellModel(bench, { hold: at });
  const half = nextAnswer(bench, at, true);
  const answered = say(bench.stack, agentId);
  await half;
  const handle = bench.temporal.workflow.getHandle(agentId);
  const { runId } = await handle.describe();
  await handle.terminate('lost');
  const lostAt = performance.now();
  const found = await waitFor(async () => (await handle.describe()).runId !== runId || undefined, {
    ...{ timeoutMs: 120_000, everyMs: 50 },
  });
  if (found !== true) throw new Error(`Nobody found the turn of ${agentId}.`);
  const took = performance.now() - lostAt;
  tellModel(bench, 'go on');
  await answered;
  return took;
}
