import { type Kysely, sql } from 'kysely';

/** Agents, their tags and tools. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because generated columns, partial indexes and checks read best as the SQL they are.
const statements = [
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
