import type { BenchStack } from '../bench-stack.js';
import { judged, print, requireKept, shown, summarise, table } from '../figures.js';
import { createAgent, tell } from './agents.js';
import { chatter } from './policies.js';
import { summarisers } from './summarisers.js';
import { wordOf } from './vectors.js';

const turns = { short: 120, full: 500 };
const windows = [8_000, 16_000];
/** The user tells a fact every ten turns and asks for it so many turns later, when even the larger window has lost it. */
const every = 10;
const askedAfter = 65;
const wordsEach = 100;
/**
 * An eviction keeps 70 % of the queue, less room for the next summary. The cut must not divide a turn, which is about 5 %
 * of the queue of an 8k window, and may move by one more turn so that the queue starts with a user's message. Before the
 * first summary, room is kept for the longest.
 */
const aims = { kept: 0.6, leastKept: 0.4 };

/** The results of one talk. */
interface Talk {
  readonly name: string;
  readonly window: number;
  readonly times: number[];
  failed: number;
  lost: number;
  asked: number;
  found: number;
}

/** Long talks in small windows, with summarisers that fail in different ways. */
export async function benchTalk(bench: BenchStack, isFull: boolean): Promise<void> {
  const count = isFull ? turns.full : turns.short;
  const kinds = summarisers.map((summariser) => ({ policy: 'talk', summariser }));
  const lanes = windows.flatMap((window) =>
    [...kinds, { policy: 'blind', summariser: 'plain' }].map((kind) => ({ ...kind, window })),
  );
  const rows = await Promise.all(lanes.map((lane) => play(bench, lane, count)));
  print(`\n## Talk: ${lanes.length} agents at once, ${count} turns each\n`);
  const head = ['summariser', 'window', 'turns failed', 'questions lost', 'planted facts found', 'evictions'];
  print(table([[...head, 'harder ones', 'kept, median', 'least', 'p50 ms', 'longest ms'], ...rows]));
  print(
    '\nA question is lost if the answer belongs to another turn. The control never searches its recall. Harder: evictions of a higher level, which keep less. Kept: the share of the queue, in tokens, that an eviction left in context.',
  );
}

interface Lane {
  readonly policy: string;
  readonly summariser: string;
  readonly window: number;
}

async function play(
  bench: BenchStack,
  { policy, summariser, window }: Lane,
  count: number,
): Promise<string[]> {
  const isControl = policy === 'blind';
  const agentId = await createAgent(bench.stack, {
    model: `openai/${policy}-${window}-${summariser}`,
    embedding: 'perdure/use-lite',
    context_window_limit: window,
  });
  const talk: Talk = {
    ...{ name: isControl ? 'control: never searches' : summariser, window, times: [] },
    ...{ failed: 0, lost: 0, asked: 0, found: 0 },
  };
  for (let turn = 1; turn <= count; turn += 1) await playTurn(bench, agentId, { talk, turn });
  const evictions = await evictionsOf(bench, agentId);
  if (!isControl) {
    requireKept(
      talk.failed === 0 && talk.lost === 0 && talk.found === talk.asked && evictions.kept.length > 0,
    );
    requireKept(summarise(evictions.kept).p50 >= aims.kept && Math.min(...evictions.kept) >= aims.leastKept);
  }
  return rowOf(talk, evictions);
}

async function playTurn(
  { stack }: BenchStack,
  agentId: string,
  { talk, turn }: { readonly talk: Talk; readonly turn: number },
): Promise<void> {
  const planted = turn % every === 1;
  const asks = turn % every === 6 && turn > askedAfter ? turn - askedAfter : undefined;
  const rest = chatter(turn, wordsEach);
  const said =
    asks !== undefined
      ? `Which code has locker ${wordOf(asks)}?`
      : planted
        ? `Please remember: the code of locker ${wordOf(turn)} is ${codeOf(turn)}. ${rest}`
        : rest;
  const startedAt = performance.now();
  const answer = await tell(stack, agentId, `Turn ${turn}. ${said}`);
  talk.times.push(performance.now() - startedAt);
  if (answer.end !== 'end_turn') talk.failed += 1;
  else if (!answer.said.startsWith(`Answer ${turn}.`)) talk.lost += 1;
  if (asks === undefined) return;
  talk.asked += 1;
  if (answer.said.includes(`It is ${codeOf(asks)}.`)) talk.found += 1;
}

function codeOf(turn: number): string {
  return wordOf(31 * turn + 5);
}

interface Evictions {
  /** The share that each ordinary eviction kept. */
  readonly kept: readonly number[];
  readonly harder: number;
}

async function evictionsOf({ database: { db } }: BenchStack, threadId: string): Promise<Evictions> {
  const rows = await db
    .selectFrom('evictions')
    .select(['level', 'messages', 'tokens_before', 'tokens_after'])
    .where('thread_id', '=', threadId)
    .where('messages', '>', 0)
    .execute();
  const kept = rows.filter(({ level }) => level === 0).map((row) => row.tokens_after / row.tokens_before);
  return { kept, harder: rows.length - kept.length };
}

function rowOf(talk: Talk, { kept, harder }: Evictions): string[] {
  const { p50 } = summarise(talk.times);
  return [
    ...[talk.name, String(talk.window), String(talk.failed), String(talk.lost)],
    ...[`${talk.found} of ${talk.asked}`, String(kept.length + harder), String(harder)],
    ...[
      judged(summarise(kept).p50, aims.kept, 'higher'),
      judged(Math.min(...kept), aims.leastKept, 'higher'),
    ],
    ...[shown(p50), shown(Math.max(...talk.times))],
  ];
}
