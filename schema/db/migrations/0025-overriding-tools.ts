import { type Kysely, sql } from 'kysely';

/** A tool may have the name of one that the runtime brings along: agents that are given it have it in that one's place. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table tools drop constraint tools_name_key',
  `create unique index builtin_tools_by_name on tools (name) where tool_type like 'letta%'`,
  `create unique index own_tools_by_name on tools (name) where tool_type not like 'letta%'`,
];
