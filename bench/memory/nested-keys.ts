import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createEmbeddings } from '../../adapters/embeddings/embeddings.js';
import { openVectors } from '../../schema/archives/open-vectors.js';
import { post } from '../api.js';
import type { BenchStack } from '../bench-stack.js';
import { print, requireKept, table } from '../figures.js';
import { attach, emptyArchive } from './archive-requests.js';
import { createAgent, tell } from './agents.js';
import { whileKilling } from './killing.js';

/** Chains of each depth. Chains of 1 to 7 pairs make 140 pairs. */
const chainsEach = 5;
const depths = [1, 2, 3, 4, 5, 6, 7];
const agents = 4;
const kills = { short: 5, full: 12 };
const embedding = 'perdure/use-lite';

interface Question {
  readonly key: string;
  /** The value at the end of the chain. */
  readonly value: string;
  /** Look-ups after the first. */
  readonly level: number;
}

/**
 * The nested key-value look-up of the MemGPT paper (arXiv 2310.08560, section 3.2.3): archival memory has 140 pairs of UUIDs,
 * in chains of up to seven in which a value is the next key. The agent looks up each key while workers are killed.
 */
export async function benchNestedKeys(bench: BenchStack, isFull: boolean): Promise<void> {
  const { stack } = bench;
  const { pairs, questions } = makePairs();
  const { archiveId, agentId } = await emptyArchive(stack, 'pairs', { model: 'openai/kv', embedding });
  const passages = pairs.map(({ key, value }) => ({
    text: `The key ${key} has value ${value} in the store.`,
  }));
  await post(stack, `/v1/archives/${archiveId}/passages/batch`, { passages });
  const others = Array.from({ length: agents - 1 }, () => createAgentWith(bench, archiveId));
  const lanes = [agentId, ...(await Promise.all(others))];
  const open = [...questions];
  const right = new Set<Question>();
  const ask = async (asking: string): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { said, end } = await tell(stack, asking, `Which value has key ${next.key}?`);
      if (end === 'end_turn' && said === `The value is ${next.value}.`) right.add(next);
    }
  };
  const { kills: killed } = await whileKilling(
    stack,
    {
      done: () => questions.length - open.length,
      of: questions.length,
      kills: isFull ? kills.full : kills.short,
    },
    Promise.all(lanes.map(ask)),
  );
  requireKept(right.size === questions.length);
  print(
    `\n## Nested keys: 140 pairs in archival memory, each key looked up, ${killed} kills of the worker\n`,
  );
  const byLevel = depths.map((depth) => {
    const asked = questions.filter(({ level }) => level === depth - 1);
    return `${asked.filter((question) => right.has(question)).length} of ${asked.length}`;
  });
  const meaning = await foundByMeaning(bench, archiveId, questions);
  print(
    table([
      ['look-ups', ...depths.map((depth) => `level ${depth - 1}`), 'total'],
      ['by archival_memory_search', ...byLevel, `${right.size} of ${questions.length}`],
      [
        'control: first look-up by vectors alone',
        ...depths.map(() => ''),
        `${meaning} of ${questions.length}`,
      ],
    ]),
  );
}

function makePairs(): { pairs: { key: string; value: string }[]; questions: Question[] } {
  const chains = depths.flatMap((depth) =>
    Array.from({ length: chainsEach }, () => Array.from({ length: depth + 1 }, () => randomUUID())),
  );
  const pairs = chains.flatMap((chain) =>
    chain.slice(1).map((value, index) => ({ key: chain[index] ?? '', value })),
  );
  const questions = chains.flatMap((chain) =>
    chain
      .slice(0, -1)
      .map((key, index) => ({ key, value: chain.at(-1) ?? '', level: chain.length - 2 - index })),
  );
  return { pairs, questions };
}

async function createAgentWith({ stack }: BenchStack, archiveId: string): Promise<string> {
  const agentId = await createAgent(stack, { model: 'openai/kv', embedding });
  await attach(stack, { archiveId, agentId });
  return agentId;
}

/** For how many keys the passage is among the five nearest by embedding alone. Embeddings say little about UUIDs. */
async function foundByMeaning(
  { database: { db } }: BenchStack,
  archiveId: string,
  questions: readonly Question[],
): Promise<number> {
  const embeddings = createEmbeddings({});
  const vectors = await openVectors(db);
  const asked = await embeddings.resolve(embedding).embed(questions.map(({ key }) => key));
  await embeddings.close();
  let found = 0;
  for (const [index, { key }] of questions.entries()) {
    const ids = await vectors.nearest(db, {
      ...{ table: 'passages', model: embedding, limit: 5, vector: asked[index] ?? [] },
      within: sql<boolean>`passages.archive_id = ${archiveId}`,
    });
    const { rows } = await sql`
      select 1 from passages where id = any(${[...ids]}::text[]) and words like ${`The key ${key} %`}`.execute(
      db,
    );
    found += rows.length;
  }
  return found;
}
