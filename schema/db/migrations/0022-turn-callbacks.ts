import { type Kysely, sql } from 'kysely';

/** Who wants to be told how a turn ended, and what became of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because a partial index reads best as the SQL it is.
const statements = [
  `create table turn_callbacks (
    turn_id text primary key references turns on delete cascade,
    state text not null default 'waiting' check (state in ('waiting', 'done', 'given_up')),
    -- When its workflow was last started.
    started_at timestamptz,
    sent_at timestamptz,
    status_code integer,
    error text
  )`,
  `create index turn_callbacks_waiting on turn_callbacks (turn_id) where state = 'waiting'`,
];
