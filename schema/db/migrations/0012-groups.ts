import { type Kysely, sql } from 'kysely';

/** Groups of agents, whatever brings them together. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because partial indexes and checks read best as the SQL they are.
const statements = [
  `create table groups (
    id text primary key,
    manager_type text not null,
    -- The group goes with the agent that it is there for.
    manager_agent_id text references agents on delete cascade,
    description text not null,
    manager_config jsonb not null default '{}',
    turns_counter bigint not null default 0,
    paused boolean not null default false,
    extras jsonb not null default '{}',
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp()
  )`,
  `create index groups_by_creation on groups (created_at, id)`,
  `create index groups_by_manager on groups (manager_agent_id)`,
  // An agent's memory is refined by one group: two of them would each reflect on every message.
  `create unique index groups_of_sleep_time on groups (manager_agent_id)
    where manager_type in ('sleeptime', 'voice_sleeptime')`,
  `create table group_agents (
    group_id text not null references groups on delete cascade,
    agent_id text not null references agents on delete cascade,
    position integer not null,
    primary key (group_id, agent_id)
  )`,
  `create index group_agents_by_agent on group_agents (agent_id)`,
  `create table group_blocks (
    group_id text not null references groups on delete cascade,
    block_id text not null references blocks on delete cascade,
    primary key (group_id, block_id)
  )`,
];
