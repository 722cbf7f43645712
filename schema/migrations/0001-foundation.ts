import { type Kysely, sql } from 'kysely';

/** Agents, memory, the delivery queue, turns and their ledgers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...agents, ...blocks, ...transcript, ...turns, ...passages]) {
    await sql.raw(statement).execute(db);
  }
}

// Raw statements, because generated columns, partial indexes and checks read best as the SQL they are.

const agents = [
  `create table agents (
    id text primary key,
    name text not null,
    agent_type text not null,
    system text not null,
    description text,
    metadata jsonb not null default '{}',
    model text not null,
    embedding text not null,
    context_window integer,
    model_settings jsonb not null default '{}',
    tool_rules jsonb not null default '[]',
    timezone text not null default 'UTC',
    extras jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
  )`,
  `create index agents_by_creation on agents (created_at desc, id desc) where deleted_at is null`,
  `create index agents_by_name on agents (name) where deleted_at is null`,
  `create table agent_tags (
    agent_id text not null references agents on delete cascade,
    tag text not null,
    primary key (agent_id, tag)
  )`,
  `create index agent_tags_by_tag on agent_tags (tag)`,
  `create table tools (
    id text primary key,
    name text not null unique,
    tool_type text not null,
    description text not null,
    source_type text,
    source_code text,
    json_schema jsonb not null,
    tags text[] not null default '{}',
    return_limit integer not null default 50000,
    extras jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create table agent_tools (
    agent_id text not null references agents on delete cascade,
    tool_id text not null references tools on delete cascade,
    position integer not null,
    primary key (agent_id, tool_id)
  )`,
];

const blocks = [
  `create table blocks (
    id text primary key,
    label text not null,
    value text not null,
    value_limit integer not null,
    description text,
    read_only boolean not null default false,
    metadata jsonb not null default '{}',
    tags text[] not null default '{}',
    revision bigint not null default 1,
    extras jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index blocks_by_creation on blocks (created_at, id)`,
  `create index blocks_by_label on blocks (label)`,
  `create table agent_blocks (
    agent_id text not null references agents on delete cascade,
    block_id text not null references blocks on delete cascade,
    label text not null,
    position integer not null,
    read_only boolean not null default false,
    primary key (agent_id, block_id),
    unique (agent_id, label)
  )`,
  `create index agent_blocks_by_block on agent_blocks (block_id)`,
  // The value after the change is kept whole: "as of" and diff are then one row each, and a limit bounds its size.
  `create table block_revisions (
    block_id text not null references blocks on delete cascade,
    revision bigint not null,
    operation jsonb not null,
    value text not null,
    actor text not null,
    agent_id text,
    turn_id text,
    step_id text,
    tool_call_id text,
    effect_id text unique,
    created_at timestamptz not null default clock_timestamp(),
    primary key (block_id, revision)
  )`,
];

const transcript = [
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
    -- Set when the provider proved that the window is smaller than it is said to be.
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

const turns = [
  `create table turns (
    id text primary key,
    thread_id text not null references threads on delete cascade,
    agent_id text not null references agents on delete cascade,
    state text not null check (state in ('created', 'running', 'completed', 'failed', 'cancelled')),
    -- The Temporal execution that may write for this turn.
    execution_id text,
    options jsonb not null default '{}',
    request_key text,
    request_hash text,
    stop_reason text,
    error jsonb,
    steps integer not null default 0,
    event_seq bigint not null default 0,
    resumptions integer not null default 0,
    resumed_at_step integer not null default 0,
    absorbed_by text references turns on delete set null,
    cancel_requested_at timestamptz,
    touched_at timestamptz not null default now(),
    created_at timestamptz not null default clock_timestamp(),
    started_at timestamptz,
    completed_at timestamptz
  )`,
  `create unique index turns_by_request_key on turns (thread_id, request_key)`,
  `create index turns_by_request_hash on turns (thread_id, request_hash, created_at)`,
  `create index turns_by_agent on turns (agent_id, created_at desc, id desc)`,
  `create index turns_by_creation on turns (created_at desc, id desc)`,
  `create index turns_running on turns (touched_at) where state = 'running'`,
  `create index turns_absorbed on turns (absorbed_by) where absorbed_by is not null`,
  `create table deliveries (
    id text primary key,
    thread_id text not null references threads on delete cascade,
    seq bigint not null,
    kind text not null,
    turn_id text not null references turns on delete cascade,
    payload jsonb not null default '{}',
    steer boolean not null default false,
    state text not null check (state in ('waiting', 'claimed', 'absorbed', 'done')),
    claimed_by text,
    claim_ordinal integer,
    created_at timestamptz not null default clock_timestamp(),
    unique (thread_id, seq),
    unique (claimed_by, claim_ordinal)
  )`,
  `create index deliveries_open on deliveries (thread_id, seq) where state in ('waiting', 'claimed')`,
  `create index deliveries_waiting on deliveries (created_at) where state = 'waiting'`,
  `create index deliveries_by_turn on deliveries (turn_id)`,
  `create table steps (
    id text primary key,
    turn_id text not null references turns on delete cascade,
    thread_id text not null,
    agent_id text not null,
    index integer not null,
    state text not null check (state in ('pending', 'answered', 'failed', 'cancelled')),
    model text not null,
    epoch_id text,
    attempt integer not null default 1,
    answer_message_id text,
    finish_reason text,
    prompt_tokens integer not null default 0,
    completion_tokens integer not null default 0,
    total_tokens integer not null default 0,
    cached_tokens integer not null default 0,
    reasoning_tokens integer not null default 0,
    context_window integer not null default 0,
    error jsonb,
    created_at timestamptz not null default clock_timestamp(),
    answered_at timestamptz,
    unique (turn_id, index)
  )`,
  `create index steps_by_agent on steps (agent_id, created_at desc, id desc)`,
  // The ledger of what tools did to the world: a row stands before the tool is tried.
  `create table effects (
    id text primary key,
    turn_id text not null references turns on delete cascade,
    step_id text not null references steps on delete cascade,
    index integer not null,
    tool_call_id text not null,
    tool_name text not null,
    arguments jsonb not null,
    request_heartbeat boolean not null default false,
    state text not null check (state in ('planned', 'started', 'done')),
    status text,
    -- Set where the call was refused and never run.
    refusal text,
    result_message_id text not null,
    started_at timestamptz,
    completed_at timestamptz,
    unique (step_id, index)
  )`,
  `create index effects_open on effects (turn_id) where state <> 'done'`,
  `create table turn_events (
    turn_id text not null references turns on delete cascade,
    seq bigint not null,
    event jsonb not null,
    created_at timestamptz not null default now(),
    primary key (turn_id, seq)
  )`,
  `create index turn_events_by_age on turn_events using brin (created_at)`,
  `create table evictions (
    id text primary key,
    thread_id text not null references threads on delete cascade,
    turn_id text not null,
    level integer not null,
    method text not null,
    keep_from bigint not null,
    messages integer not null,
    tokens_before integer not null,
    tokens_after integer not null,
    created_at timestamptz not null default clock_timestamp()
  )`,
  `create index evictions_by_thread on evictions (thread_id, created_at)`,
];

const passages = [
  `create table archives (
    id text primary key,
    name text not null,
    description text,
    embedding text not null,
    metadata jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create table agent_archives (
    agent_id text not null references agents on delete cascade,
    archive_id text not null references archives on delete cascade,
    is_owner boolean not null default false,
    primary key (agent_id, archive_id)
  )`,
  `create index agent_archives_by_archive on agent_archives (archive_id)`,
  // Owned by an archive or, as a chunk of a file, by a source. Vectors of any size, of any model, share the column:
  // pgvector indexes an expression over it per size, and the exact store reads it as it is.
  `create table passages (
    id text primary key,
    archive_id text references archives on delete cascade,
    source_id text,
    file_id text,
    words text not null,
    tags text[] not null default '{}',
    metadata jsonb not null default '{}',
    identifiers text[] not null default '{}',
    embedding real[],
    embedding_model text,
    created_at timestamptz not null default clock_timestamp(),
    lexemes tsvector generated always as (to_tsvector('english', left(words, 200000)) || to_tsvector('simple', left(words, 200000))) stored,
    check ((archive_id is null) <> (source_id is null))
  )`,
  `create index passages_by_archive on passages (archive_id, created_at, id)`,
  `create index passages_by_source on passages (source_id, created_at, id)`,
  `create index passages_lexemes on passages using gin (lexemes)`,
  `create index passages_identifiers on passages using gin (identifiers)`,
  `create index passages_tags on passages using gin (tags)`,
];
