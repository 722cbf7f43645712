import { type Kysely, sql } from 'kysely';

/** Threads, messages, context epochs and what a thread has seen of its blocks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because generated columns, partial indexes and checks read best as the SQL they are.
const statements = [
  `create table threads (
    id text primary key,
    agent_id text not null references agents on delete cascade,
    is_default boolean not null,
    next_delivery bigint not null default 1,
    next_position bigint not null default 1,
    -- Messages from this position on are the message queue; older ones were evicted to recall memory.
    queue_start bigint not null default 1,
    epoch_id text,
    summary_block_id text references blocks on delete set null,
    -- Set when the provider proved that the window is smaller than configured.
    learned_window integer,
    extras jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create unique index threads_default on threads (agent_id) where is_default`,
  `create index threads_by_agent on threads (agent_id, created_at)`,
  `create table messages (
    id text primary key,
    agent_id text not null references agents on delete cascade,
    thread_id text not null references threads on delete cascade,
    turn_id text,
    step_id text,
    position bigint,
    -- Order among the messages of one delivery, before they have a position.
    ordinal integer not null default 0,
    kind text not null,
    body jsonb not null,
    words text not null,
    tokens integer not null,
    otid text,
    sender_id text,
    identifiers text[] not null default '{}',
    embedding real[],
    embedding_model text,
    created_at timestamptz not null default clock_timestamp(),
    lexemes tsvector generated always as (to_tsvector('english', left(words, 200000)) || to_tsvector('simple', left(words, 200000))) stored
  )`,
  `create unique index messages_by_position on messages (thread_id, position)`,
  `create index messages_by_agent on messages (agent_id, created_at, id)`,
  `create index messages_by_turn on messages (turn_id)`,
  `create index messages_by_step on messages (step_id)`,
  `create index messages_lexemes on messages using gin (lexemes)`,
  `create index messages_identifiers on messages using gin (identifiers)`,
  `create table epochs (
    id text primary key,
    thread_id text not null references threads on delete cascade,
    prefix text not null,
    tools jsonb not null,
    -- What the prefix was made from: changed instructions, tools or settings start a new epoch.
    fingerprint text not null,
    figures jsonb not null,
    created_at timestamptz not null default clock_timestamp()
  )`,
  `create index epochs_by_thread on epochs (thread_id, created_at)`,
  `create table seen_revisions (
    thread_id text not null references threads on delete cascade,
    block_id text not null references blocks on delete cascade,
    revision bigint not null,
    primary key (thread_id, block_id)
  )`,
];
