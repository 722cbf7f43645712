import { type Kysely, sql } from 'kysely';

/** Refinements of memory: what asks for them, what they read, spend and write, and up to where they have come. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because partial indexes and checks read best as the SQL they are.
const statements = [
  `create table refinement_requests (
    id text primary key,
    group_id text not null references groups on delete cascade,
    partner_id text not null references agents on delete cascade,
    cause text not null,
    instructions text,
    -- Parts of documents, in order; null: the transcript since the watermark.
    parts jsonb,
    cycles integer not null default 1,
    -- Parts that were worked in, over all cycles.
    parts_done integer not null default 0,
    state text not null check (state in ('waiting', 'done', 'failed')),
    created_at timestamptz not null default clock_timestamp()
  )`,
  `create index refinement_requests_waiting on refinement_requests (partner_id, created_at) where state = 'waiting'`,
  // Turns, evictions and schedules ask for the same: one request that waits stands for all of them.
  `create unique index refinement_requests_of_transcript on refinement_requests (partner_id)
    where state = 'waiting' and cause <> 'hand'`,
  `create table refinements (
    id text primary key,
    group_id text not null references groups on delete cascade,
    partner_id text not null references agents on delete cascade,
    agent_id text not null,
    request_id text not null references refinement_requests on delete cascade,
    cause text not null,
    state text not null check (state in ('running', 'in_review', 'completed', 'rejected', 'failed')),
    ended_by text,
    error jsonb,
    -- The settings as they were at its start.
    settings jsonb not null,
    -- Which turn of the partner is the last one, 0-based.
    round integer not null default 0,
    created_at timestamptz not null default clock_timestamp(),
    completed_at timestamptz
  )`,
  // One at a time for a partner: two would reflect on the same messages.
  `create unique index refinements_running on refinements (partner_id) where state = 'running'`,
  `create index refinements_by_group on refinements (group_id, created_at, id)`,
  `create table refinement_ranges (
    refinement_id text not null references refinements on delete cascade,
    thread_id text not null references threads on delete cascade,
    -- Positions: the first that it reads, and the last.
    from_position bigint not null,
    to_position bigint not null,
    primary key (refinement_id, thread_id)
  )`,
  `create table refinement_branches (
    refinement_id text not null references refinements on delete cascade,
    block_id text not null references blocks on delete cascade,
    base_revision bigint not null,
    base_value text not null,
    value text not null,
    state text not null check (state in ('open', 'merged', 'dropped')),
    -- Why it was dropped or not merged whole.
    note text,
    merged_revision bigint,
    primary key (refinement_id, block_id)
  )`,
  `create table watermarks (
    partner_id text not null references agents on delete cascade,
    thread_id text not null references threads on delete cascade,
    position bigint not null,
    updated_at timestamptz not null default clock_timestamp(),
    primary key (partner_id, thread_id)
  )`,
  `create table token_reservations (
    refinement_id text not null references refinements on delete cascade,
    step_id text not null,
    -- Which attempt of the step it was made for, 0-based.
    attempt integer not null,
    tokens integer not null,
    released boolean not null default false,
    primary key (step_id, attempt)
  )`,
  `create index token_reservations_by_refinement on token_reservations (refinement_id)`,
];
