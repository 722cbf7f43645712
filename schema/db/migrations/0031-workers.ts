import { type Kysely, sql } from 'kysely';

/** The workers that run, and which of them runs a turn's execution: so that others see a death and act on it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table workers (
    key integer primary key,
    identity text not null,
    started_at timestamptz not null default now()
  )`,
  `alter table turns add column worker integer`,
  `alter table steps drop column worker`,
  `alter table effects drop column worker`,
];
