import { type Kysely, sql } from 'kysely';

/** Blocks, whose they are, and their revisions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because generated columns, partial indexes and checks read best as the SQL they are.
const statements = [
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
