import { type Kysely, sql } from 'kysely';

/** What imports of agent files have made: a repeated request gets it again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table agent_imports (
    id bigint generated always as identity primary key,
    request_key text,
    request_hash text not null,
    agent_ids text[] not null,
    notes text[] not null,
    created_at timestamptz not null default clock_timestamp()
  )`,
  `create unique index agent_imports_by_request_key on agent_imports (request_key)`,
  `create index agent_imports_by_request_hash on agent_imports (request_hash, created_at)`,
  `create index agent_imports_by_age on agent_imports (created_at)`,
];
