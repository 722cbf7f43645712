import { type Kysely, sql } from 'kysely';

/** What a custom tool needs to be run, and the tokens by which a running tool calls back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because generated columns, partial indexes and checks read best as the SQL they are.
const statements = [
  `alter table tools
    add column args_schema jsonb,
    add column requirements jsonb not null default '[]',
    add column runtime jsonb not null default '{}'`,
  // A token is kept as its digest: who reads the table can't call with it.
  `create table tool_tokens (
    digest text primary key,
    agent_id text not null references agents on delete cascade,
    turn_id text,
    step_id text,
    tool_call_id text,
    effect_id text,
    expires_at timestamptz not null
  )`,
];
