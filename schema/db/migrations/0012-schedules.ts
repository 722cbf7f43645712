import { type Kysely, sql } from 'kysely';

/** Schedules: what is to be done when. The scheduler follows these rows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because partial indexes and checks read best as the SQL they are.
const statements = [
  `create table schedules (
    id text primary key,
    kind text not null check (kind in ('message', 'refinement')),
    -- Whose message or memory it is. No reference: the row outlives the agent until the scheduler has let go of it.
    agent_id text not null,
    group_id text,
    partner_id text,
    timing jsonb not null,
    messages jsonb not null default '[]',
    options jsonb not null default '{}',
    paused boolean not null default false,
    note text,
    deleted boolean not null default false,
    -- Whether the scheduler has what this row says.
    synced boolean not null default false,
    version integer not null default 1,
    fired_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp()
  )`,
  `create index schedules_by_agent on schedules (agent_id, created_at, id)`,
  `create index schedules_by_group on schedules (group_id, created_at, id)`,
  `create index schedules_unsynced on schedules (updated_at) where not synced`,
];
