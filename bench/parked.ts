import type { Client } from '@temporalio/client';
import { createAgent, type NewAgent } from '../schema/agents/creation.js';
import { listAgentBlocks } from '../schema/blocks/agent-blocks.js';
import { listAgentTools } from '../schema/tools/agent-tools.js';
import { requireAgent } from '../schema/agents/agents.js';
import { createBlock } from '../schema/blocks/blocks.js';
import { type Db, inTransaction } from '../schema/db/database.js';
import { waitFor } from '../stack/waiting.js';
import { makeAgent, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { judged, print, shown, summarise, table } from './figures.js';
import { settledMiB } from './memory-use.js';
import { addSharers } from './block-sharers.js';

const many = 10_000;
/** So many of these agents have a turn before they are parked. The others are only rows. */
const spokenTo = 200;
const open = 500;
const turns = 30;
/** The first turns are not measured: the worker still compiles its code and fills its pools. */
const warmUps = 100;
const atOnce = 8;
/** The time of a turn with 10,000 parked agents ÷ its time with one agent. */
const aim = 1.2;

/**
 * Measures what waiting agents cost the worker and Temporal, and how long their next turn takes. The control keeps a
 * workflow open for each agent.
 */
export async function benchParked(bench: BenchStack): Promise<void> {
  const { stack, temporal, database, controlQueue } = bench;
  const agentId = await makeAgent(stack, 'say');
  await timeTurns(bench, Array<string>(warmUps).fill(agentId));
  const alone = await timeTurns(bench, Array<string>(turns).fill(agentId));
  const before = await settledMiB(readPids(bench));

  const sample = await addAgents(database.db, agentId);
  await lanes(sample, atOnce, (id) => say(stack, id));
  const after = await settledMiB(readPids(bench));
  const left = await openWorkflows(temporal, 'perdure', 0);
  // Parked agents take their second turn. The first agent is measured again, because the machine may have changed.
  const together = await timeTurns(bench, sample.slice(0, turns));
  const again = await timeTurns(bench, Array<string>(turns).fill(agentId));

  await lanes(
    Array.from({ length: open }, (_, index) => `open-agent-${index}`),
    atOnce,
    async (workflowId) => {
      await temporal.workflow.start('openAgent', { workflowId, taskQueue: controlQueue });
      await temporal.workflow.getHandle(workflowId).executeUpdate('say');
    },
  );
  const opened = await settledMiB(readPids(bench));
  const stillOpen = await openWorkflows(temporal, controlQueue, open);

  print(
    `\n## Parked: ${many} agents, ${spokenTo} of which have had a turn; control: ${open} workflows that stay open\n`,
  );
  const grown = (from: number, to: number, agents: number): string[] => [
    shown(to - from),
    to > from ? shown(((to - from) * 1_024) / agents) : '–',
  ];
  print(
    table([
      ['agents', 'open workflows', 'worker grew, MiB', 'KiB/agent', 'Temporal grew, MiB', 'KiB/agent'],
      [
        ...[`${many} parked`, String(left)],
        ...grown(before.worker, after.worker, spokenTo),
        ...grown(before.Temporal, after.Temporal, spokenTo),
      ],
      [
        ...[`${open} open`, String(stillOpen)],
        ...grown(after.control, opened.control, open),
        ...grown(after.Temporal, opened.Temporal, open),
      ],
    ]),
  );
  print('\nThe growth of parked agents is divided by the number of those that have had a turn.');
  const [one, parked, oneAgain] = [alone, together, again].map((times) => summarise(times).p50);
  print(
    `Next turn, p50 of ${turns}: ${shown(one ?? NaN)} ms with one agent; ${shown(parked ?? NaN)} ms for a parked agent among ${many}, and then ${shown(oneAgain ?? NaN)} ms for the first agent; parked ÷ one: ${judged((parked ?? NaN) / (one ?? NaN), aim, 'lower')}`,
  );
}

function readPids(
  bench: BenchStack,
): Readonly<Record<'worker' | 'Temporal' | 'control', number | undefined>> {
  const pids = bench.pids();
  return { worker: pids['worker'], Temporal: pids['Temporal'], control: pids["control's worker"] };
}

/** Adds the other agents. Returns the ids of those that can have turns: they have tools and blocks of their own. */
async function addAgents(db: Db, like: string): Promise<string[]> {
  const { name, agentType, system, model, embedding, toolRules } = await requireAgent(db, like);
  const blocks = (await listAgentBlocks(db, like)).map(({ label, value }) => ({ label, value }));
  const toolNames = (await listAgentTools(db, like)).map((tool) => tool.name);
  const input: NewAgent = { name, agentType, system, model, embedding, toolRules, blocks, toolNames };
  const ids = await inTransaction(db, async (tx) => {
    const made: string[] = [];
    while (made.length < spokenTo) made.push((await createAgent(tx, input)).id);
    return made;
  });
  const { id: blockId } = await createBlock(db, { label: 'plan', value: 'Wait.' });
  await addSharers(db, { like, blockId, count: many - 1 - spokenTo });
  return ids;
}

async function timeTurns({ stack }: BenchStack, agentIds: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (const agentId of agentIds) {
    const sentAt = performance.now();
    await say(stack, agentId);
    times.push(performance.now() - sentAt);
  }
  return times;
}

/** The number of running workflows of a task queue. Temporal's list lags, so this waits until it is `expected`. */
async function openWorkflows(temporal: Client, taskQueue: string, expected: number): Promise<number> {
  const query = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  let count = NaN;
  await waitFor(
    async () => {
      ({ count } = await temporal.workflow.count(query));
      return count === expected || undefined;
    },
    { timeoutMs: 20_000, everyMs: 250 },
  );
  return count;
}

/** Does the work for all items, `count` at a time. */
async function lanes<T>(
  items: readonly T[],
  count: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: count }, lane));
}
