import { type Kysely, sql } from 'kysely';

/** Turns with their deliveries, steps, effects, events and evictions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because generated columns, partial indexes and checks read best as the SQL they are.
const statements = [
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
