import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { createEmbeddings } from '../../adapters/embeddings/embeddings.js';
import { messagesWithoutEmbedding } from '../../schema/threads/recall.js';
import { waitFor } from '../../stack/waiting.js';
import { placePast } from '../../test/support/agents/past.js';
import type { BenchStack } from '../bench-stack.js';
import { judged, print, requireKept, shown, summarise, table } from '../figures.js';
import { createAgent, tell } from './agents.js';
import { chatter } from './policies.js';
import { wordOf } from './vectors.js';

const messages = 1_500;
const wordsEach = 30;
const planted = 700;
const embedding = 'perdure/use-lite';
const aimMs = 1_000;
/** The control embeds so many messages; its time is multiplied to that of 1,024, which a search once embedded first. */
const controlMessages = 128;
const onceEmbedded = 1_024;
const patienceMs = 10 * 60_000;
/** Pause between the searches of another agent. */
const betweenMs = 500;

/** Measures the first search of a long recall, searches of another agent while it is indexed, and the next search. */
export async function benchRecall(bench: BenchStack): Promise<void> {
  const long = await createAgentWithPast(bench, messages);
  const other = await createAgentWithPast(bench, 20);
  await searchOnce(bench, other);
  await indexed(bench, other);
  const quiet: Search[] = [];
  for (let round = 0; round < 10; round += 1) quiet.push(await searchOnce(bench, other));
  const waitingBefore = await waitingOf(bench, long);
  const first = await searchOnce(bench, long);
  const startedAt = performance.now();
  const beside: Search[] = [];
  while ((await waitingOf(bench, long)) > 0) {
    beside.push(await searchOnce(bench, other));
    await delay(betweenMs);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const next = await searchOnce(bench, long);
  print(`\n## Recall: the first conversation_search after ${messages} messages, embedded by ${embedding}\n`);
  const rowOf = (name: string, { ms, turnMs, found, note }: Search): string[] => [
    ...[name, shown(ms), shown(turnMs), found ? 'yes' : 'no', note ?? '–'],
  ];
  print(
    table([
      ['search', 'tool ms', 'turn ms', 'planted fact found', 'note in the result'],
      rowOf(`first, ${waitingBefore} messages without a vector`, first),
      rowOf('next, all messages with a vector', next),
    ]),
  );
  const { p95 } = summarise(beside.map(({ ms }) => ms));
  requireKept(first.ms <= aimMs && first.found && first.note !== undefined);
  requireKept(next.found && next.note === undefined && p95 <= aimMs);
  print(
    `\nFirst search in ms: ${judged(first.ms, aimMs, 'lower')}. All messages were indexed in ${shown(seconds)} s (${shown(waitingBefore / seconds)} messages/s) while turns ran.`,
  );
  print(
    `${beside.length} searches of another agent during the indexing: p50 ${shown(p50(beside))} ms, p95 in ms ${judged(p95, aimMs, 'lower')}. Without indexing: p50 ${shown(p50(quiet))} ms; ratio ${shown(p50(beside) / p50(quiet))}.`,
  );
  print(
    `Control: a search that embeds ${onceEmbedded} messages before it answers takes ${shown(await control())} s.`,
  );
}

/** A search by an agent in a turn. */
interface Search {
  /** From the model's answer to the tool's result. */
  readonly ms: number;
  readonly turnMs: number;
  readonly found: boolean;
  readonly note: string | undefined;
}

async function searchOnce({ stack, database: { db } }: BenchStack, agentId: string): Promise<Search> {
  const startedAt = performance.now();
  const { said } = await tell(stack, agentId, `Turn 1. Which code has locker ${wordOf(planted)}?`);
  const turnMs = performance.now() - startedAt;
  const { rows } = await sql<{ ms: number; result: unknown }>`
    select extract(epoch from effects.completed_at - steps.answered_at)::float8 * 1000 as ms, messages.body as result
    from effects join steps on steps.id = effects.step_id join messages on messages.id = effects.result_message_id
    where steps.agent_id = ${agentId} and tool_name = 'conversation_search' order by steps.answered_at desc limit 1`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The agent did not search.');
  const note = /(\d+) (?:older )?messages[^"\\]*not indexed/.exec(JSON.stringify(row.result))?.[0];
  return { ms: row.ms, turnMs, found: said.includes(`It is ${wordOf(planted + 1)}.`), note };
}

async function createAgentWithPast({ stack, database }: BenchStack, count: number): Promise<string> {
  const agentId = await createAgent(stack, {
    model: 'openai/talk-8000-plain',
    embedding,
    context_window_limit: 8_000,
  });
  const past = Array.from({ length: count }, (_, index) => textOf(index));
  const fact = `Please remember: the code of locker ${wordOf(planted)} is ${wordOf(planted + 1)}.`;
  past[Math.min(planted, count - 1)] = fact;
  await placePast(database.db, agentId, past);
  return agentId;
}

function textOf(index: number): string {
  return `On day ${index} ${chatter(index, wordsEach)}`;
}

async function waitingOf({ database: { db } }: BenchStack, agentId: string): Promise<number> {
  return (await messagesWithoutEmbedding(db, { agentId, model: embedding, limit: 10_000 })).length;
}

async function indexed(bench: BenchStack, agentId: string): Promise<void> {
  const isDone = async (): Promise<true | undefined> =>
    (await waitingOf(bench, agentId)) === 0 ? true : undefined;
  if ((await waitFor(isDone, { timeoutMs: patienceMs, everyMs: 100 })) === undefined)
    throw new Error(`The messages of ${agentId} were not indexed in time.`);
}

function p50(searches: readonly Search[]): number {
  return summarise(searches.map(({ ms }) => ms)).p50;
}

async function control(): Promise<number> {
  const embeddings = createEmbeddings({});
  const embedder = embeddings.resolve(embedding);
  await embedder.embed(['The model loads.']);
  const startedAt = performance.now();
  await embedder.embed(Array.from({ length: controlMessages }, (_, index) => textOf(index)));
  const seconds = (performance.now() - startedAt) / 1_000;
  await embeddings.close();
  return (seconds * onceEmbedded) / controlMessages;
}
