import { type Kysely, sql } from 'kysely';

/** Columns that nothing writes or reads. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'alter table turns drop column cancel_requested_at',
  'alter table deliveries drop column payload',
];
