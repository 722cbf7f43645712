import { type Kysely, sql } from 'kysely';

/** Where the turns of this database run: its one row is written by the first worker. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table runtime_binding (
    is_only boolean primary key default true check (is_only),
    namespace text not null,
    task_queue text not null,
    bound_at timestamptz not null default now()
  )`.execute(db);
}
