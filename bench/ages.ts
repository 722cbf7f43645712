import type { Db } from '../schema/db/database.js';
import type { Stack } from '../stack/stack.js';
import { placeOld } from '../test/support/scale/old-threads.js';
import { makeAgent, say } from './api.js';
import type { BenchStack } from './bench-stack.js';
import { judged, print, shown, summarise, timed } from './figures.js';

/** What a turn in an old thread may cost beside one in a young thread. */
const aim = 1.15;
const atOnce = 16;
const rounds = 12;
/** Of each agent in a round. */
const turnsOfRound = 4;
const oldMessages = 10_000;

type Age = 'young' | 'old';

/** Turns of one step in threads of many messages, beside as many in young ones. */
export async function benchAges({ stack, database }: BenchStack): Promise<void> {
  print('\n## Ages: threads with many messages beside young ones\n');
  await compareAges(stack, database.db);
}

/** The same, on a stack and its database. */
export async function compareAges(stack: Pick<Stack, 'api'>, db: Db): Promise<void> {
  const agentsOf = (): Promise<string[]> =>
    Promise.all(Array.from({ length: atOnce }, () => makeAgent(stack, 'say')));
  const agents = { young: await agentsOf(), old: await agentsOf() };
  await Promise.all([...agents.young, ...agents.old].map((agentId) => say(stack, agentId)));
  for (const agentId of agents.old) await placeOld(db, agentId, oldMessages);
  const times: Record<Age, number[]> = { young: [], old: [] };
  const shares: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const played: Record<Age, readonly number[]> = { young: [], old: [] };
    // Each is first in every second round: what one leaves to be done weighs on the next.
    const order: readonly Age[] = round % 2 === 0 ? ['young', 'old'] : ['old', 'young'];
    for (const age of order) played[age] = await play(stack, agents[age]);
    if (round < 0) continue;
    for (const age of order) times[age].push(...played[age]);
    shares.push(summarise(played.old).p50 / summarise(played.young).p50);
  }
  const p50 = { young: summarise(times.young).p50, old: summarise(times.old).p50 };
  print(
    `One step, ${atOnce} at once, p50 of ${times.old.length} turns each: ${shown(p50.young)} ms in a young thread, ${shown(p50.old)} ms in one of ${oldMessages.toLocaleString('en')} messages; ÷ young ${judged(p50.old / p50.young, aim, 'lower')}, in single rounds ${shown(Math.min(...shares))} to ${shown(Math.max(...shares))}.`,
  );
}

/** Turns of all agents at once. Returns how long each took, in ms. */
async function play(stack: Pick<Stack, 'api'>, agents: readonly string[]): Promise<readonly number[]> {
  const times = agents.map((agentId) => timed(turnsOfRound, () => say(stack, agentId)));
  return (await Promise.all(times)).flat();
}
