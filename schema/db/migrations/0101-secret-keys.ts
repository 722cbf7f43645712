import { type Kysely, sql } from 'kysely';

/**
 * The keys that secrets of this database are sealed with, by their ids; the first process that has one writes it down.
 * Secrets of earlier versions lie in the clear: only a process has the key, so it seals them when it starts, and finds them by
 * the index, which is empty from then on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table secret_keys (id text primary key, first_used_at timestamptz not null default now())`,
  `create index agents_with_plain_variables on agents (id) where
    extras @? '$.secrets.* ? (@ != "" && !(@ starts with "sealed.1."))'
    or extras @? '$.tool_exec_environment_variables.* ? (@ != "" && !(@ starts with "sealed.1."))'`,
];
