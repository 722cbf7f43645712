import { type Kysely, sql } from 'kysely';

/** Who waits for whom: a tool call of one thread, and the turn of another that answers it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table edges (
    effect_id text not null references effects on delete cascade,
    to_agent text not null,
    from_thread text not null references threads on delete cascade,
    from_turn text not null references turns on delete cascade,
    to_thread text not null,
    -- Null once the other agent was purged.
    to_turn text references turns on delete set null,
    state text not null check (state in ('waiting', 'answered', 'dropped', 'refused')),
    stop_reason text,
    refusal text,
    deadline timestamptz not null,
    created_at timestamptz not null default clock_timestamp(),
    answered_at timestamptz,
    primary key (effect_id, to_agent)
  )`,
  `create index edges_waiting_from on edges (from_thread) where state = 'waiting'`,
  `create index edges_from_turn on edges (from_turn) where state = 'waiting'`,
  `create index edges_to_turn on edges (to_turn)`,
  `create index edges_answered on edges (answered_at) where state = 'answered'`,
];
