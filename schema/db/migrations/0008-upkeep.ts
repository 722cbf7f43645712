import { type Kysely, sql } from 'kysely';

/** What keeps an agent going at any age: counters, summaries of parts, which model a window was learned of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because triggers and functions read best as the SQL they are.
const statements = [
  `alter table threads
    -- Handle of the model whose window was learned.
    add column learned_model text,
    -- Placed messages before queue_start, kept by triggers.
    add column recall_messages bigint not null default 0`,
  `alter table archives
    -- Kept by triggers.
    add column passages bigint not null default 0`,
  `alter table epochs
    -- Characters of the notices that were told in it.
    add column notice_characters integer not null default 0`,
  `create table chunk_summaries (
    thread_id text not null references threads on delete cascade,
    fingerprint text not null,
    summary text not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (thread_id, fingerprint)
  )`,
  // The last model call of an epoch, whatever else there is.
  `create index steps_by_epoch on steps (epoch_id, answered_at desc) where total_tokens > 0`,
  `update threads set recall_messages = counted.messages
    from (
      select threads.id, count(*) as messages
      from threads join messages on messages.thread_id = threads.id and messages.position < threads.queue_start
      group by threads.id
    ) as counted
    where threads.id = counted.id`,
  `update archives set passages = counted.passages
    from (select archive_id, count(*) as passages from passages where archive_id is not null group by archive_id) as counted
    where archives.id = counted.archive_id`,
  // A statement that moves the queue's start counts only the messages that it passes.
  `create function count_recall() returns trigger language plpgsql as $$
  begin
    new.recall_messages := new.recall_messages
      + (select count(*) from messages
          where thread_id = new.id and position >= old.queue_start and position < new.queue_start)
      - (select count(*) from messages
          where thread_id = new.id and position >= new.queue_start and position < old.queue_start);
    return new;
  end $$`,
  `create trigger threads_count_recall before update of queue_start on threads
    for each row when (new.queue_start <> old.queue_start) execute function count_recall()`,
  `create function discount_recall() returns trigger language plpgsql as $$
  begin
    update threads set recall_messages = recall_messages - gone.messages
      from (
        select old_rows.thread_id, count(*) as messages
        from old_rows join threads on threads.id = old_rows.thread_id
        where old_rows.position < threads.queue_start group by old_rows.thread_id
      ) as gone
      where threads.id = gone.thread_id;
    return null;
  end $$`,
  `create trigger messages_discount_recall after delete on messages
    referencing old table as old_rows for each statement execute function discount_recall()`,
  // A passage never moves to another archive: only what comes and goes is counted.
  `create function count_passages() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'DELETE' then
      update archives set passages = archives.passages + come.passages
        from (select archive_id, count(*) as passages from new_rows where archive_id is not null group by archive_id) as come
        where archives.id = come.archive_id;
    end if;
    if tg_op <> 'INSERT' then
      update archives set passages = archives.passages - gone.passages
        from (select archive_id, count(*) as passages from old_rows where archive_id is not null group by archive_id) as gone
        where archives.id = gone.archive_id;
    end if;
    return null;
  end $$`,
  `create trigger passages_count_come after insert on passages
    referencing new table as new_rows for each statement execute function count_passages()`,
  `create trigger passages_count_gone after delete on passages
    referencing old table as old_rows for each statement execute function count_passages()`,
];
