import { type Kysely, sql } from 'kysely';

/** What people say of steps: rare, so beside the steps and not in them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table step_feedback (
      step_id text primary key references steps on delete cascade,
      feedback text check (feedback in ('positive', 'negative')),
      tags text[] not null default '{}'
    )`.execute(db);
}
