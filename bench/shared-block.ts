import { sql } from 'kysely';
import type { Db } from '../schema/db/database.js';
import { attachedBlocks } from '../schema/threads/epochs.js';
import { loadPrefixBlocks } from '../schema/threads/loop-agent.js';
import { makeAgent, post, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { addSharers } from './block-sharers.js';
import { judged, print, shown, summarise, table } from './figures.js';

const many = 10_000;
const edits = 60;
/** The first edits are not measured. */
const warmUps = 10;
/** The time of an edit of a block that many agents share ÷ of a block that one agent has. */
const aim = 1.5;

/** A block, the agent of it that has turns, and the times of each edit. */
interface Shared {
  readonly agents: number;
  readonly blockId: string;
  readonly agentId: string;
  readonly write: number[];
  readonly read: number[];
  readonly turn: number[];
}

/** Measures an edit of a block and the next turn of one of its agents, for a block of one agent and for one of 10,000. */
export async function benchSharedBlock(bench: BenchStack): Promise<void> {
  const { stack, database } = bench;
  const shared = [await share(bench, 1), await share(bench, many)];
  const [alone, together] = shared;
  for (let edit = 0; edit < edits + warmUps; edit += 1) {
    // Alternating, so that a change of the machine's speed affects both.
    for (const one of shared) {
      const write = await timed(() => editOnce(stack, one.blockId, edit));
      const read = await timed(() => readMemory(database.db, one.agentId));
      const turn = await timed(() => say(stack, one.agentId));
      if (edit < warmUps) continue;
      one.write.push(write);
      one.read.push(read);
      one.turn.push(turn);
    }
  }
  const copies = await timeCopies(database.db);
  print(
    `\n## Shared: an edit of a block over REST, and the next turn of one of its agents, p50 ms of ${edits}\n`,
  );
  const head = ['block', 'edit', 'reading memory', 'next turn'];
  print(
    table([
      head,
      ...shared.map(rowOf),
      [`control: a copy for each of ${many} agents`, shown(summarise(copies).p50), '', ''],
    ]),
  );
  const ratio = (of: (one: Shared) => readonly number[]): string =>
    alone === undefined || together === undefined
      ? '–'
      : judged(summarise(of(together)).p50 / summarise(of(alone)).p50, aim, 'lower');
  print(
    `\n${many} agents ÷ one: edit ${ratio((one) => one.write)}, reading memory ${ratio((one) => one.read)}, next turn ${ratio((one) => one.turn)}`,
  );
}

async function share({ stack, database }: BenchStack, agents: number): Promise<Shared> {
  const value = 'The plan has a hundred lines.\n'.repeat(100);
  const { id: blockId } = await post<{ id: string }>(stack, '/v1/blocks/', { label: 'plan', value });
  const agentId = await makeAgent(stack, 'say');
  const attached = `insert into agent_blocks (agent_id, block_id, label, position) values ($1, $2, 'plan', 9)`;
  await database.pool.query(attached, [agentId, blockId]);
  await addSharers(database.db, { like: agentId, blockId, count: agents - 1 });
  return { agents, blockId, agentId, write: [], read: [], turn: [] };
}

async function editOnce(stack: BenchStack['stack'], blockId: string, edit: number): Promise<void> {
  const operation = { kind: 'insert', content: `Line ${edit}.`, line: 0 };
  await post(stack, `/v1/blocks/${blockId}/operations`, operation);
}

/** Reads blocks as a step does: those that changed, and, to render the prefix, all of them. */
async function readMemory(db: Db, agentId: string): Promise<void> {
  await attachedBlocks(db, { id: agentId, agentId });
  await loadPrefixBlocks(db, agentId);
}

/** Times the same edit if every agent has a copy of its own: one statement changes all copies. */
async function timeCopies(db: Db): Promise<number[]> {
  const value = 'The plan has a hundred lines.\n'.repeat(100);
  await sql`
    insert into blocks (id, label, value, value_limit)
    select 'block-' || gen_random_uuid(), 'copy of the plan', ${value}, 20000 from generate_series(1, ${many})`.execute(
    db,
  );
  const times: number[] = [];
  for (let edit = 0; edit < 5; edit += 1) {
    times.push(
      await timed(() =>
        sql`update blocks set value = ${`Line ${edit}.\n`} || value, revision = revision + 1
          where label = 'copy of the plan'`.execute(db),
      ),
    );
  }
  return times;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function rowOf({ agents, write, read, turn }: Shared): string[] {
  return [
    `shared by ${agents} ${agents === 1 ? 'agent' : 'agents'}`,
    ...[write, read, turn].map((times) => shown(summarise(times).p50)),
  ];
}
