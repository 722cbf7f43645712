import { type RawBuilder, sql } from 'kysely';
import type { Message } from '../../core/threads/messages.js';
import { isAlive } from '../agents/agents.js';
import type { Db, Tx } from '../db/database.js';
import { getMessages } from './messages.js';
import type { Embedding } from '../archives/passages.js';
import { findHybrid, madeBetween } from '../archives/search.js';
import { toJson } from '../db/storable.js';
import type { Vectors } from '../archives/vectors.js';

/** Who speaks in recall. What tools return and what the runtime says to the agent is no conversation. */
export type RecallRole = 'user' | 'assistant' | 'system';

/** What to look for in past messages. */
export interface RecallSearch {
  /** Absent: in those of all agents. */
  readonly agentId?: string | undefined;
  /** Absent: in all threads. */
  readonly threadId?: string | undefined;
  /** Empty, and no embedding: the newest that the rest allows. */
  readonly query: string;
  /** The query's. Absent: messages are found by their words alone. */
  readonly embedding?: Embedding | undefined;
  /** Absent or empty: all. */
  readonly roles?: readonly RecallRole[] | undefined;
  /** Bounds of when the messages were sent, both included. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** The turn that searches: the messages that it answers are left out. Its context has them. */
  readonly searchingTurn?: string | undefined;
  readonly limit: number;
}

/** A message with its score: comparable within one search, the higher the better. */
export interface FoundMessage {
  readonly message: Message;
  readonly score: number;
}

/**
 * The best messages by identifiers, words and vectors together, best first. Answers in which the agent
 * searches its memory are left out: they say just what is looked for, and nothing about it.
 */
export async function searchMessages(
  db: Db | Tx,
  vectors: Vectors,
  search: RecallSearch,
): Promise<readonly FoundMessage[]> {
  const { query: text, embedding, limit } = search;
  const ranked = await findHybrid(db, vectors, {
    table: 'messages',
    text,
    embedding,
    within: sql<boolean>`${saidBy(search)} and ${madeBetween('messages', search)} and ${notAnsweredBy(search)}`,
    limit,
  });
  const messages = await getMessages(
    db,
    ranked.map((entry) => entry.id),
  );
  const scores = new Map(ranked.map((entry) => [entry.id, entry.score]));
  return messages.map((message) => ({ message, score: scores.get(message.id) ?? 0 }));
}

function saidBy({
  agentId,
  threadId,
  roles = [],
}: Pick<RecallSearch, 'agentId' | 'threadId' | 'roles'>): RawBuilder<boolean> {
  const own =
    agentId === undefined
      ? isAlive(sql.ref('messages.agent_id'))
      : sql<boolean>`messages.agent_id = ${agentId} and ${isAlive(agentId)}`;
  const inThread = threadId === undefined ? sql`true` : sql`messages.thread_id = ${threadId}`;
  const said = sql<boolean>`${own} and ${inThread} and ${spoken} and not ${searchesMemory}`;
  return roles.length === 0 ? said : sql<boolean>`${said} and messages.kind = any(${[...roles]}::text[])`;
}

// What a user sent has no step; what the agent said earlier in the turn may have left its context, and has one.
function notAnsweredBy({ searchingTurn }: Pick<RecallSearch, 'searchingTurn'>): RawBuilder<boolean> {
  if (searchingTurn === undefined) return sql<boolean>`true`;
  return sql<boolean>`(messages.turn_id is distinct from ${searchingTurn} or messages.step_id is not null)`;
}

// As the partial index says it, word for word.
export const spoken = sql<boolean>`messages.position is not null and messages.kind in ('user', 'assistant', 'system')`;

const searchesMemory = sql<boolean>`messages.body @? '$.toolCalls[*] ? (@.name like_regex "^(conversation_search|archival_memory_search|recall$)")'`;

/** A message that waits for its embedding. */
export interface UnembeddedMessage {
  readonly id: string;
  readonly text: string;
}

/** Characters of a message that its embedding is made of: models read little more. */
const embeddedLength = 8_000;

/** Messages of an agent that wait for their embedding by a model. */
interface Waiting {
  readonly agentId: string;
  readonly model: string;
  readonly limit: number;
}

/** The agent's messages that recall can find and that have no embedding of this model yet, newest first. */
export async function messagesWithoutEmbedding(
  db: Db | Tx,
  wanted: Waiting,
): Promise<readonly UnembeddedMessage[]> {
  const result = await sql<UnembeddedMessage>`
    with waiting as materialized (${waiting(wanted)})
    select unembedded.id, unembedded.text
    from (select id, created_at from waiting order by created_at desc, id desc) as newest
    cross join lateral (
      select messages.id, left(words, ${embeddedLength}) as text from messages
      where messages.id = newest.id and not ${searchesMemory} and words <> '' limit 1
    ) as unembedded
    order by newest.created_at desc, newest.id desc limit ${wanted.limit}`.execute(db);
  return result.rows;
}

/** How many there are of them, counted up to the limit; those in a thread's context are left out. */
export async function countUnseen(
  db: Db | Tx,
  wanted: Waiting & { readonly threadId: string },
): Promise<number> {
  const result = await sql<{ count: number }>`
    with waiting as materialized (${waiting(wanted)})
    select count(*) from (
      select from threads cross join waiting cross join lateral (
        select from messages where messages.id = waiting.id and not ${searchesMemory} and words <> ''
          and (messages.thread_id <> threads.id or messages.position < threads.queue_start) limit 1
      ) as unseen
      where threads.id = ${wanted.threadId}
      limit ${wanted.limit}
    ) as counted`.execute(db);
  return result.rows[0]?.count ?? 0;
}

// The waiting ones are gathered first, by the index: a plan that walks back through time looking for them reads
// everything where there are none. Said so, the index also answers "is distinct from". Each is then looked up by its id
// alone, in a lateral query with a limit, which the planner can't turn into a join. Without statistics, as after an import,
// it would read all messages of the agent for each that waits. A batch sorts them before it looks them up, and so stops
// looking when it is full.
function waiting({ agentId, model }: Waiting): RawBuilder<unknown> {
  return sql`
    select id, created_at from messages where agent_id = ${agentId} and ${isAlive(agentId)} and ${spoken}
      and (embedding_model is null or embedding_model < ${model} or embedding_model > ${model})`;
}

/** Stores embeddings of messages, replacing those of other models. */
export async function saveEmbeddings(
  db: Db | Tx,
  model: string,
  embeddings: readonly { readonly id: string; readonly vector: readonly number[] }[],
): Promise<void> {
  await sql`
    update messages set embedding = made.vector, embedding_model = ${model}
    from jsonb_to_recordset(${toJson(embeddings)}::jsonb) as made (id text, vector real[])
    where messages.id = made.id`.execute(db);
}
