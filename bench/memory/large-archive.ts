import { sql } from 'kysely';
import { pgvectorVectors } from '../../schema/archives/vectors-pgvector.js';
import { exactVectors } from '../../schema/archives/vectors-exact.js';
import { waitFor } from '../../stack/waiting.js';
import { say } from '../api.js';
import type { BenchStack } from '../bench-stack.js';
import { judged, print, requireKept, shown, summarise, table } from '../figures.js';
import { type AgentArchive, emptyArchive, loadArchive, search, toItem, wordsOf } from './archive-requests.js';
import { createAgent } from './agents.js';
import { nearestItems } from './nearest-items.js';
import { questionAbout, dimensions, randomNumbers, vectorOf } from './vectors.js';
import { chatter } from './policies.js';

const sizes = { short: 20_000, full: [50_000, 200_000] } as const;
const small = { archives: 20, passages: 50 };
const searches = 200;
/** So many of these searches are also answered exactly, in this process. */
const compared = 50;
const limit = 10;
const aims = { p95: 100, recall: 0.98, turn: 5_000 };
const indexPatienceMs = 30 * 60_000;

/** Loads a large archive over REST. Measures searches of it and of small archives beside it, and turns during the load. */
export async function benchArchive(bench: BenchStack, isFull: boolean): Promise<void> {
  print(`\n## Archive: passages loaded over REST, vectors of ${dimensions} dimensions around 200 topics\n`);
  const littles = await loadSmall(bench);
  const writer = await createAgent(bench.stack, { model: 'openai/insert' });
  const before = await turnsUntil(bench, writer, 20);
  const archive = await emptyArchive(bench.stack, 'large');
  let stored = 0;
  for (const size of isFull ? sizes.full : [sizes.short]) {
    let isLoading = true;
    const during = turnsUntil(bench, writer, () => !isLoading);
    const startedAt = performance.now();
    await loadArchive(bench.stack, archive, stored, size);
    const seconds = (performance.now() - startedAt) / 1_000;
    await indexed(bench);
    const untilIndexed = (performance.now() - startedAt) / 1_000;
    isLoading = false;
    print(
      `${size - stored} passages added in ${shown(seconds)} s (${shown((size - stored) / seconds)}/s). All were in the index after ${shown(untilIndexed)} s.`,
    );
    stored = size;
    judgeTurns(before, await during);
    await judgeSearches(bench, archive, size);
    await judgeSmall(bench, littles);
  }
  await control(bench, archive);
}

async function loadSmall({ stack }: BenchStack): Promise<readonly AgentArchive[]> {
  const archives: AgentArchive[] = [];
  for (let index = 0; index < small.archives; index += 1) {
    const archive = await emptyArchive(stack, `small ${index}`);
    // Their topics are those of the large archive, whose passages could crowd them out of an index's results.
    const from = 20_000_000 + index * small.passages;
    await loadArchive(stack, archive, from, from + small.passages);
    archives.push(archive);
  }
  return archives;
}

/** Runs turns that store a passage each: so many, or until `end` holds. Returns their times in ms. */
async function turnsUntil(
  { stack }: BenchStack,
  agentId: string,
  end: number | (() => boolean),
): Promise<number[]> {
  const times: number[] = [];
  const isEnough = typeof end === 'number' ? () => times.length >= end : end;
  while (!isEnough()) {
    const startedAt = performance.now();
    await say(stack, agentId, { text: `passage ${times.length}: ${chatter(times.length, 12)}` });
    times.push(performance.now() - startedAt);
  }
  return times;
}

function judgeTurns(before: readonly number[], during: readonly number[]): void {
  const longest = Math.max(...during);
  requireKept(longest <= aims.turn);
  print(
    `A turn that stores a passage: ${shown(summarise(before).p50)} ms before the load, ${shown(summarise(during).p50)} ms during it (p50 of ${during.length}); the longest in ms: ${judged(longest, aims.turn, 'lower')}.\n`,
  );
}

async function judgeSearches(bench: BenchStack, archive: AgentArchive, size: number): Promise<void> {
  const random = randomNumbers(size);
  const rows: string[][] = [];
  const asked = Array.from({ length: searches }, () => Math.floor(random() * size));
  const kinds = {
    'by meaning': (item: number) => questionAbout(item),
    'by meaning and six words': (item: number) => `${questionAbout(item)} ${wordsOf(item + 1, 6)}`,
  };
  for (const [kind, toQuery] of Object.entries(kinds)) {
    const times: number[] = [];
    const found: (readonly number[])[] = [];
    for (const item of asked) {
      const startedAt = performance.now();
      const results = await search(bench.stack, archive, { query: toQuery(item), limit });
      times.push(performance.now() - startedAt);
      found.push(results.map(toItem));
    }
    const { p50, p95 } = summarise(times);
    const worst = Math.max(...times.slice(5));
    requireKept(p95 <= aims.p95);
    const recall = kind === 'by meaning' ? await recallOf(asked.slice(0, compared), found, size) : undefined;
    if (recall !== undefined) requireKept(recall >= aims.recall);
    rows.push([
      ...[String(size), kind, shown(summarise(times.slice(0, 5)).p50), shown(p50)],
      ...[judged(p95, aims.p95, 'lower'), shown(worst)],
      recall === undefined ? '' : judged(recall, aims.recall, 'higher'),
    ]);
  }
  const head = ['passages', 'search', 'first five, p50 ms', 'p50 ms', 'p95 ms', 'worst after five'];
  print(table([[...head, `recall@${limit}`], ...rows]));
}

async function recallOf(
  asked: readonly number[],
  found: readonly (readonly number[])[],
  size: number,
): Promise<number> {
  const truth = await nearestItems(
    asked.map((item) => vectorOf(questionAbout(item))),
    { from: 0, to: size },
    limit,
  );
  const hits = truth.map((items, index) => items.filter((item) => found[index]?.includes(item)).length);
  return hits.reduce((sum, one) => sum + one, 0) / (limit * asked.length);
}

async function judgeSmall({ stack }: BenchStack, archives: readonly AgentArchive[]): Promise<void> {
  const times: number[] = [];
  let hits = 0;
  for (const [index, archive] of archives.entries()) {
    const from = 20_000_000 + index * small.passages;
    const query = questionAbout(from + 7);
    const startedAt = performance.now();
    const found = (await search(stack, archive, { query, limit })).map(toItem);
    times.push(performance.now() - startedAt);
    const [truth = []] = await nearestItems([vectorOf(query)], { from, to: from + small.passages }, limit);
    hits += truth.filter((item) => found.includes(item)).length;
  }
  const share = hits / (limit * archives.length);
  requireKept(share >= 1);
  print(
    `\n${archives.length} archives of ${small.passages} passages in the same table: recall@${limit} ${judged(share, 1, 'higher')}, p95 in ms ${judged(summarise(times).p95, aims.p95, 'lower')}.`,
  );
}

/** Waits until the sweep has built the index. */
async function indexed({ database: { db } }: BenchStack): Promise<void> {
  const isThere = async (): Promise<true | undefined> => {
    const { rows } = await sql<{ valid: boolean }>`
      select indisvalid as valid from pg_index where indexrelid = to_regclass(${`passages_embedding_${dimensions}`})`.execute(
      db,
    );
    return rows[0]?.valid === true ? true : undefined;
  };
  if ((await waitFor(isThere, { timeoutMs: indexPatienceMs })) === undefined)
    throw new Error('The sweep has not built the index.');
}

/** The same search without an index: by the store for databases without pgvector, and by pgvector itself. */
async function control({ database: { db } }: BenchStack, { archiveId }: AgentArchive): Promise<void> {
  const ways = {
    'the exact store': exactVectors('as the benchmark wants it.'),
    'pgvector without its index': pgvectorVectors('', { exactUpTo: 1_000_000 }),
  };
  for (const [name, vectors] of Object.entries(ways)) {
    const times: number[] = [];
    for (let item = 0; item < 3; item += 1) {
      const startedAt = performance.now();
      await vectors.nearest(db, {
        ...{ table: 'passages', model: 'openai/bench', limit, vector: [...vectorOf(questionAbout(item))] },
        within: sql<boolean>`passages.archive_id = ${archiveId}`,
      });
      times.push(performance.now() - startedAt);
    }
    print(`Control, the ${limit} nearest by ${name}: ${shown(summarise(times).p50)} ms.`);
  }
}
