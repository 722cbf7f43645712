import { type Kysely, sql } from 'kysely';

/** What one message to a group begins, and the turns that it gives to the group's agents. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because partial indexes and checks read best as the SQL they are.
const statements = [
  `create table talks (
    id text primary key,
    group_id text not null references groups on delete cascade,
    -- The order of a group's talks: they come one after another.
    seq bigint generated always as identity,
    state text not null default 'created'
      check (state in ('created', 'running', 'completed', 'failed', 'cancelled')),
    plan jsonb not null,
    -- What the user said: bodies and senders of messages.
    messages jsonb not null,
    options jsonb not null default '{}',
    request_key text,
    request_hash text,
    stop_reason text,
    touched_at timestamptz not null default clock_timestamp(),
    created_at timestamptz not null default clock_timestamp(),
    completed_at timestamptz
  )`,
  `create unique index talks_by_request_key on talks (group_id, request_key)`,
  `create index talks_by_request_hash on talks (group_id, request_hash, created_at)`,
  `create index talks_open on talks (group_id, seq) where completed_at is null`,
  `create table talk_turns (
    talk_id text not null references talks on delete cascade,
    ordinal integer not null,
    agent_id text not null,
    -- 'hearing': it only takes in what came after the agent's own last turn.
    role text not null check (role in ('speaking', 'choosing', 'hearing')),
    -- Null once its agent was purged.
    turn_id text references turns on delete set null,
    -- How many of the talk's lines the agent has heard with it.
    heard integer not null,
    -- Whether it brought the user's own messages as the first one: they are shown once in the group's list.
    opens boolean not null,
    deadline timestamptz not null,
    said text[] not null default '{}',
    stop_reason text,
    created_at timestamptz not null default clock_timestamp(),
    primary key (talk_id, ordinal)
  )`,
  `create index talk_turns_by_turn on talk_turns (turn_id)`,
];
