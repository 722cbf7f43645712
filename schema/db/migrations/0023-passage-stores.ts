import { type Kysely, sql } from 'kysely';

/** Stores of users' own, and what each has yet to be told of passages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table passage_stores (
    name text primary key,
    created_at timestamptz not null default now()
  )`,
  // No reference to passages or archives: what is gone must be told too.
  `create table passage_feed (
    seq bigint generated always as identity primary key,
    store text not null references passage_stores on delete cascade,
    archive_id text not null,
    passage_id text not null
  )`,
  `create index passage_feed_by_archive on passage_feed (store, archive_id, seq)`,
  // By the database itself, so that no writer can forget it: insertions, imports, forks, purges.
  `create function feed_passage_stores() returns trigger language plpgsql as $$
  begin
    insert into passage_feed (store, archive_id, passage_id)
      select passage_stores.name, moved.archive_id, moved.id from moved cross join passage_stores
      where moved.archive_id is not null;
    return null;
  end $$`,
  `create trigger passages_feed_come after insert on passages
    referencing new table as moved for each statement execute function feed_passage_stores()`,
  `create trigger passages_feed_gone after delete on passages
    referencing old table as moved for each statement execute function feed_passage_stores()`,
  `create trigger passages_feed_changed after update on passages
    referencing new table as moved for each statement execute function feed_passage_stores()`,
];
