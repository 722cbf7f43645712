import { type RawBuilder, sql } from 'kysely';
import type { Message } from '../../core/threads/messages.js';
import { isAlive } from '../agents/agents.js';
import type { Db, Tx } from '../db/database.js';
import { getMessages } from './messages.js';
import type { Embedding } from '../archives/passages.js';
import { findHybrid, madeBetween } from '../archives/search.js';
import { toJson } from '../db/storable.js';
import type { Vectors } from '../archives/vectors.js';

/** Who speaks in recall. Results of tools and messages of the runtime are not included. */
export type RecallRole = 'user' | 'assistant' | 'system';

/** A search of past messages. */
export interface RecallSearch {
  /** Absent: all agents. */
  readonly agentId?: string | undefined;
  /** Absent: all threads. */
  readonly threadId?: string | undefined;
  /** Without a query and an embedding, the newest messages that match the other conditions. */
  readonly query: string;
  /** The query's embedding. Absent: messages are found by words alone. */
  readonly embedding?: Embedding | undefined;
  /** Absent or empty: all. */
  readonly roles?: readonly RecallRole[] | undefined;
  /** Bounds of the time of sending, inclusive. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly limit: number;
}

/** A message with its score. Scores are comparable within one search; higher is better. */
export interface FoundMessage {
  readonly message: Message;
  readonly score: number;
}

/**
 * The best messages by identifiers, words and vectors, best first. Answers that call a memory search are left out:
 * they repeat the query and say nothing about it.
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
    within: sql<boolean>`${saidBy(search)} and ${madeBetween('messages', search)}`,
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

// The condition of the partial index, word for word.
export const spoken = sql<boolean>`messages.position is not null and messages.kind in ('user', 'assistant', 'system')`;

const searchesMemory = sql<boolean>`messages.body @? '$.toolCalls[*] ? (@.name like_regex "^(conversation_search|archival_memory_search|recall$)")'`;

/** A message without an embedding. */
export interface UnembeddedMessage {
  readonly id: string;
  readonly text: string;
}

/** How many characters of a message are embedded. Models read little more. */
const embeddedLength = 8_000;

/** The messages of an agent that have no embedding by a model. */
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
    select messages.id, left(words, ${embeddedLength}) as text from waiting join messages using (id)
    where ${saidBy({ agentId: wanted.agentId })} and words <> '' order by created_at desc, id desc limit ${wanted.limit}`.execute(
    db,
  );
  return result.rows;
}

/** The number of them, counted up to the limit, without those in a thread's context. */
export async function countUnseen(
  db: Db | Tx,
  wanted: Waiting & { readonly threadId: string },
): Promise<number> {
  const result = await sql<{ count: number }>`
    with waiting as materialized (${waiting(wanted)})
    select count(*) from (
      select from waiting join messages using (id) join threads on threads.id = ${wanted.threadId}
      where ${saidBy({ agentId: wanted.agentId })} and words <> ''
        and (messages.thread_id <> threads.id or messages.position < threads.queue_start)
      limit ${wanted.limit}
    ) as counted`.execute(db);
  return result.rows[0]?.count ?? 0;
}

// Collects the candidates by the index first. A plan that walks back through time would read everything where there
// are none. In this form, the index also answers "is distinct from".
function waiting({ agentId, model }: Waiting): RawBuilder<unknown> {
  return sql`
    select id from messages where agent_id = ${agentId} and ${spoken}
      and (embedding_model is null or embedding_model < ${model} or embedding_model > ${model})`;
}

/** Stores embeddings of messages. They replace those of other models. */
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
