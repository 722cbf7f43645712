import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { ModelSettings } from '../../core/models/model.js';
import { isAlive, requireAgent } from '../agents/agents.js';
import { allowTime, type Db, inTransaction, type Tx } from '../db/database.js';
import { ConversationNotFoundError } from './errors.js';
import { type OrderedBy, type Page, pagedBy } from '../db/paging.js';
import { containing, toJson } from '../db/storable.js';
import type { ThreadsTable } from './tables.js';

/** An additional thread of an agent. It shares the agent's blocks, tools and recall, and has its own queue. */
export interface Conversation extends ConversationFields {
  /** `conv-<uuid>`: the id of the thread and of its workflow. */
  readonly id: string;
  readonly agentId: string;
  /** Handle of the agent's model, which is used where `model` is null. */
  readonly agentModel: string;
  readonly archivedAt: Date | null;
  /** When its newest message was placed; null: none. */
  readonly lastMessageAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Settings of a conversation. Null: the agent's own, or none. */
export interface ConversationFields {
  /** A description of the conversation for its users. Not the summary of evicted messages. */
  readonly summary: string | null;
  readonly description: string | null;
  readonly hidden: boolean;
  /** Handle. */
  readonly model: string | null;
  readonly modelSettings: ModelSettings | null;
  /** Tokens. */
  readonly contextWindow: number | null;
}

/** Filters for conversations. */
export interface ConversationFilter {
  readonly agentId?: string | undefined;
  readonly archived?: boolean | undefined;
  /** A part of the summary, case-insensitive. */
  readonly summary?: string | undefined;
}

/** Sort keys of conversations. Without messages or finished runs, the creation counts. */
export type ConversationOrder = 'created_at' | 'last_message_at' | 'last_run_completion';

/** Creates an empty conversation. Throws AgentNotFoundError. */
export async function createConversation(
  db: Db | Tx,
  agentId: string,
  fields: Partial<ConversationFields>,
): Promise<Conversation> {
  return inTransaction(db, async (tx) => {
    await requireAgent(tx, agentId);
    const id = `conv-${randomUUID()}`;
    await tx
      .insertInto('threads')
      .values({ id, agent_id: agentId, is_default: false, extras: toJson(fields) })
      .execute();
    return requireConversation(tx, id);
  });
}

/** Throws ConversationNotFoundError. */
export async function requireConversation(db: Db | Tx, id: string): Promise<Conversation> {
  const row = await conversationRows(db).where('threads.id', '=', id).executeTakeFirst();
  if (row === undefined) throw new ConversationNotFoundError(id);
  return toConversation(row);
}

/** Conversations, paged, without hidden ones. */
export async function listConversations(
  db: Db,
  filter: ConversationFilter,
  order: ConversationOrder,
  page: Page,
): Promise<readonly Conversation[]> {
  let query = conversationRows(db).where(
    sql<boolean>`not coalesce((threads.extras->>'hidden')::boolean, false)`,
  );
  if (filter.agentId !== undefined) query = query.where('threads.agent_id', '=', filter.agentId);
  if (filter.archived !== undefined) {
    query = query.where('threads.archived_at', filter.archived ? 'is not' : 'is', null);
  }
  if (filter.summary !== undefined) {
    query = query.where(sql<string>`threads.extras->>'summary'`, 'ilike', containing(filter.summary));
  }
  return (await pagedBy('threads', query, [places[order], 'id'], page)).map(toConversation);
}

/** Changes the given fields of a conversation. Throws ConversationNotFoundError. */
export async function updateConversation(
  db: Db | Tx,
  id: string,
  patch: Partial<ConversationFields> & { readonly archived?: boolean },
): Promise<Conversation> {
  const { archived, ...fields } = patch;
  return inTransaction(db, async (tx) => {
    const { archivedAt } = await requireConversation(tx, id);
    const moved = archived !== undefined && archived !== (archivedAt !== null);
    await tx
      .updateTable('threads')
      .set({
        extras: sql<string>`extras || ${toJson(fields)}::jsonb`,
        updated_at: sql<Date>`now()`,
        ...(moved ? { archived_at: archived ? sql<Date>`now()` : null } : {}),
      })
      .where('id', '=', id)
      .execute();
    return requireConversation(tx, id);
  });
}

/**
 * Marks a conversation as deleted. Its rows stay until `purgeConversation`, so that what still runs in it ends in
 * order. Throws ConversationNotFoundError.
 */
export async function deleteConversation(db: Db | Tx, id: string): Promise<void> {
  const row = await db
    .updateTable('threads')
    .set({ deleted_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('is_default', '=', false)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) throw new ConversationNotFoundError(id);
}

/**
 * Removes all rows of a deleted conversation. Does nothing on one that isn't deleted, and is harmless when repeated.
 */
export async function purgeConversation(db: Db | Tx, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await allowTime(tx);
    await sql`
      with gone as (
        delete from threads where id = ${id} and deleted_at is not null returning summary_block_id
      )
      delete from blocks using gone where blocks.id = gone.summary_block_id`.execute(tx);
  });
}

/** Purges conversations that were deleted before a moment, in batches. */
export async function purgeDeletedConversations(db: Db | Tx, before: Date): Promise<void> {
  const rows = await db
    .selectFrom('threads')
    .select('id')
    .where('deleted_at', '<', before)
    .limit(20)
    .execute();
  for (const { id } of rows) await purgeConversation(db, id);
}

type ConversationRow = Selectable<ThreadsTable> & {
  readonly agent_model: string;
  readonly last_message_at: Date | null;
};

const places: Readonly<Record<ConversationOrder, OrderedBy>> = {
  created_at: 'created_at',
  last_message_at: (alias) => sql`coalesce(${lastMessageAt(alias)}, ${sql.ref(`${alias}.created_at`)})`,
  last_run_completion: (alias) =>
    sql`coalesce((select max(t.completed_at) from turns t where t.thread_id = ${sql.ref(`${alias}.id`)}),
      ${sql.ref(`${alias}.created_at`)})`,
};

function lastMessageAt(alias: string) {
  return sql<Date | null>`(select m.created_at from messages m
    where m.thread_id = ${sql.ref(`${alias}.id`)} and m.position is not null
    order by m.position desc limit 1)`;
}

function conversationRows(db: Db | Tx) {
  return db
    .selectFrom('threads')
    .selectAll('threads')
    .select([
      lastMessageAt('threads').as('last_message_at'),
      sql<string>`(select a.model from agents a where a.id = threads.agent_id)`.as('agent_model'),
    ])
    .where('threads.is_default', '=', false)
    .where('threads.deleted_at', 'is', null)
    .where(isAlive(sql.ref('threads.agent_id')));
}

const noFields: ConversationFields = {
  summary: null,
  description: null,
  hidden: false,
  model: null,
  modelSettings: null,
  contextWindow: null,
};

function toConversation(row: ConversationRow): Conversation {
  return {
    ...noFields,
    // Only `createConversation` and `updateConversation` write these fields.
    ...(row.extras as Partial<ConversationFields>),
    id: row.id,
    agentId: row.agent_id,
    agentModel: row.agent_model,
    archivedAt: row.archived_at,
    lastMessageAt: row.last_message_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
