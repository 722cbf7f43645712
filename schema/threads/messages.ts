import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Message, MessageKind } from '../../core/threads/messages.js';
import { messageText } from '../../core/threads/messages.js';
import { estimateTokens } from '../../core/threads/tokens.js';
import { isAlive } from '../agents/agents.js';
import type { Db, Tx } from '../db/database.js';
import { isOfTalks, saidInGroup } from './group-messages.js';
import { identifiersOf } from '../archives/identifiers.js';
import { type Page, pagedBy } from '../db/paging.js';
import { storable, storableOrNull, toJson } from '../db/storable.js';
import type { MessagesTable } from './tables.js';

/** Filters for messages. Only messages with a place in the transcript are listed. */
export interface MessageFilter {
  /** One thread, in the order of its transcript. */
  readonly threadId?: string | undefined;
  /** All threads of an agent, by time. */
  readonly agentId?: string | undefined;
  readonly turnId?: string | undefined;
  /** What was said in one group, by time. */
  readonly groupId?: string | undefined;
  /** What one group's talks added to the thread, including what was heard there. */
  readonly talksOf?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly stepId?: string | undefined;
  readonly kinds?: readonly MessageKind[] | undefined;
}

/** Messages, paged. */
export async function listMessages(
  db: Db | Tx,
  filter: MessageFilter,
  page: Page,
): Promise<readonly Message[]> {
  const order = filter.threadId === undefined ? ['created_at', 'position', 'id'] : ['position'];
  const rows = await pagedBy('messages', filtered(db, filter).select(messageColumns), order, page);
  return rows.map(toMessage);
}

/** All tool results of those steps that these messages have results of, in transcript order. */
export async function resultsOfSteps(db: Db | Tx, messages: readonly Message[]): Promise<readonly Message[]> {
  const steps = new Set(
    messages.flatMap(({ body, stepId }) => (body.kind === 'tool' && stepId !== null ? [stepId] : [])),
  );
  if (steps.size === 0) return [];
  const rows = await db
    .selectFrom('messages')
    .select(messageColumns)
    .where('step_id', '=', sql<string>`any(${[...steps]})`)
    .where('kind', '=', 'tool')
    .where('position', 'is not', null)
    .orderBy('position')
    .execute();
  return rows.map(toMessage);
}

export async function countMessages(db: Db | Tx, filter: MessageFilter): Promise<number> {
  const row = await filtered(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

function filtered(db: Db | Tx, filter: MessageFilter) {
  const { threadId, agentId, turnId, groupId, talksOf, ids, stepId, kinds } = filter;
  let query = db.selectFrom('messages').where('position', 'is not', null);
  if (threadId !== undefined) query = query.where('thread_id', '=', threadId);
  if (agentId !== undefined) query = query.where('agent_id', '=', agentId);
  if (turnId !== undefined) query = query.where('turn_id', '=', turnId);
  if (groupId !== undefined) query = query.where(saidInGroup(groupId));
  if (talksOf !== undefined) query = query.where(isOfTalks(talksOf));
  if (ids !== undefined) query = query.where('id', '=', sql<string>`any(${[...ids]})`);
  if (stepId !== undefined) query = query.where('step_id', '=', stepId);
  if (kinds !== undefined) query = query.where('kind', '=', sql<MessageKind>`any(${[...kinds]})`);
  // Checked once where the agent is known, else for each row.
  if (agentId !== undefined) return query.where(isAlive(agentId));
  if (threadId === undefined) return query.where(isAlive(sql.ref('messages.agent_id')));
  return query.where(isAlive(sql<string>`(select agent_id from threads where id = ${threadId})`));
}

/** Messages by their ids, in that order, without unknown ones. */
export async function getMessages(db: Db | Tx, ids: readonly string[]): Promise<readonly Message[]> {
  const rows = await db
    .selectFrom('messages')
    .select(messageColumns)
    .where('id', '=', sql<string>`any(${[...ids]})`)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, toMessage(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The thread's message queue: the part of its transcript that is in context, in order. */
export async function loadQueue(db: Db | Tx, threadId: string): Promise<readonly Message[]> {
  const rows = await db
    .selectFrom('messages')
    .select(messageColumns)
    .where('thread_id', '=', threadId)
    .where('position', '>=', (eb) =>
      eb.selectFrom('threads').select('queue_start').where('threads.id', '=', threadId),
    )
    .orderBy('position')
    .execute();
  return rows.map(toMessage);
}

/** The ids of the messages in each thread's queue, in order. Threads with an empty queue are left out. */
export async function queuedIds(
  db: Db | Tx,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (threadIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('messages')
    .innerJoin('threads', 'threads.id', 'messages.thread_id')
    .select([
      'messages.thread_id',
      sql<string[]>`array_agg(messages.id order by messages.position)`.as('ids'),
    ])
    .where('messages.thread_id', '=', sql<string>`any(${[...threadIds]}::text[])`)
    .whereRef('messages.position', '>=', 'threads.queue_start')
    .groupBy('messages.thread_id')
    .execute();
  return new Map(rows.map(({ thread_id: threadId, ids }) => [threadId, ids]));
}

/** The messages of a thread between two positions, inclusive, in order. */
export async function loadRange(
  db: Db | Tx,
  threadId: string,
  range: { readonly from: number; readonly to: number },
): Promise<readonly Message[]> {
  const rows = await db
    .selectFrom('messages')
    .select(messageColumns)
    .where('thread_id', '=', threadId)
    .where('position', '>=', range.from)
    .where('position', '<=', range.to)
    .orderBy('position')
    .execute();
  return rows.map(toMessage);
}

/**
 * Inserts messages. Those of one delivery keep their order until they have positions. A message whose id exists stays
 * unchanged.
 */
export async function insertMessages(db: Db | Tx, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  await db
    .insertInto('messages')
    .values(messages.map(messageRow))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Inserts messages with their positions and moves the thread's end, in one statement. */
export async function insertPlaced(
  tx: Tx,
  messages: readonly Message[],
  { threadId, nextPosition }: { readonly threadId: string; readonly nextPosition: number },
): Promise<void> {
  await tx
    .with('moved', (with_) =>
      with_.updateTable('threads').set({ next_position: nextPosition }).where('id', '=', threadId),
    )
    .insertInto('messages')
    .values(messages.map(messageRow))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

function messageRow(message: Message, ordinal: number): Insertable<MessagesTable> {
  const words = storable(messageText(message.body));
  return {
    id: message.id,
    agent_id: message.agentId,
    thread_id: message.threadId,
    turn_id: message.turnId,
    step_id: message.stepId,
    position: message.position,
    ordinal,
    kind: message.body.kind,
    body: toJson(message.body),
    words,
    tokens: estimateTokens(words),
    otid: storableOrNull(message.otid),
    sender_id: storableOrNull(message.senderId),
    identifiers: identifiersOf(words),
    embedding: null,
    embedding_model: null,
    created_at: message.createdAt,
  };
}

/** The columns of a message, without those for search. */
const messageColumns = [
  'messages.id',
  'messages.agent_id',
  'messages.thread_id',
  'messages.turn_id',
  'messages.step_id',
  'messages.position',
  'messages.created_at',
  'messages.otid',
  'messages.sender_id',
  'messages.body',
] as const;

function toMessage(
  row: Pick<
    Selectable<MessagesTable>,
    | 'id'
    | 'agent_id'
    | 'thread_id'
    | 'turn_id'
    | 'step_id'
    | 'position'
    | 'created_at'
    | 'otid'
    | 'sender_id'
    | 'body'
  >,
): Message {
  return {
    id: row.id,
    agentId: row.agent_id,
    threadId: row.thread_id,
    turnId: row.turn_id,
    stepId: row.step_id,
    position: row.position,
    createdAt: row.created_at,
    otid: row.otid,
    senderId: row.sender_id,
    body: row.body,
  };
}
