import { type Kysely, sql } from 'kysely';

/** In which five minutes an agent's latest turn ended, by which agents are listed in the order of their last runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because functions and triggers read best as the SQL they are.
const statements = [
  // Periods of one length alone are in order: another length needs all rows written again.
  `create function end_period(moment timestamptz) returns timestamptz language sql immutable strict as $$
    select to_timestamp(floor(extract(epoch from moment) / 300) * 300)
  $$`,
  // A row of its own: agents are wide, and are locked by those who change them.
  `create table agent_ends (
    agent_id text primary key references agents on delete cascade,
    period timestamptz not null default '-infinity'
  )`,
  `insert into agent_ends (agent_id, period)
    select id, coalesce((select end_period(max(completed_at)) from turns where agent_id = agents.id), '-infinity')
    from agents`,
  `create index agent_ends_by_period on agent_ends (period, agent_id)`,
  `create function add_agent_ends() returns trigger language plpgsql as $$
    begin
      insert into agent_ends (agent_id) select id from added;
      return null;
    end
  $$`,
  `create trigger agents_add_ends after insert on agents referencing new table as added
    for each statement execute function add_agent_ends()`,
];
