import { type Kysely, sql } from 'kysely';

/** Identities: whom agents and blocks are for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because checks and expression indexes read best as the SQL they are.
const statements = [
  `create table identities (
    id text primary key,
    identifier_key text not null,
    name text not null,
    identity_type text not null check (identity_type in ('org', 'user', 'other')),
    project_id text,
    properties jsonb not null default '[]',
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp()
  )`,
  `create index identities_by_creation on identities (created_at, id)`,
  // A key is a user's own name for somebody: within a project it means one.
  `create unique index identities_by_key on identities (identifier_key, coalesce(project_id, ''))`,
  `create table agent_identities (
    agent_id text not null references agents on delete cascade,
    identity_id text not null references identities on delete cascade,
    attached_at timestamptz not null default clock_timestamp(),
    primary key (agent_id, identity_id)
  )`,
  `create index agent_identities_by_identity on agent_identities (identity_id)`,
  `create table block_identities (
    block_id text not null references blocks on delete cascade,
    identity_id text not null references identities on delete cascade,
    attached_at timestamptz not null default clock_timestamp(),
    primary key (block_id, identity_id)
  )`,
  `create index block_identities_by_identity on block_identities (identity_id)`,
  // Kept as they came, before there were identities that they could be of.
  `update agents set extras = extras - 'identity_ids' where extras ? 'identity_ids'`,
];
