import { type Kysely, sql } from 'kysely';

/** What is needed to see an agent as it was: when things came and went, by the database's own clock. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because triggers and functions read best as the SQL they are.
const statements = [
  // A sender may say when a message or a passage was made; when it came into the memory, only the database knows.
  `alter table messages
    -- Means something only where there is a position.
    add column placed_at timestamptz not null default clock_timestamp()`,
  `update messages set placed_at = created_at`,
  `create function stamp_placing() returns trigger language plpgsql as $$
  begin
    new.placed_at := clock_timestamp();
    return new;
  end $$`,
  `create trigger messages_stamp_placing before update of position on messages
    for each row when (old.position is null and new.position is not null) execute function stamp_placing()`,

  `alter table passages add column stored_at timestamptz not null default clock_timestamp()`,
  `update passages set stored_at = created_at`,
  // Passages that were deleted, and what changed ones were before.
  `create table past_passages (
    id text not null,
    archive_id text not null references archives on delete cascade,
    words text not null,
    tags text[] not null,
    metadata jsonb not null,
    identifiers text[] not null,
    embedding real[],
    embedding_model text,
    created_at timestamptz not null,
    stored_at timestamptz not null,
    gone_at timestamptz not null default clock_timestamp(),
    primary key (id, stored_at)
  )`,
  `create index past_passages_by_archive on past_passages (archive_id, gone_at)`,
  // What goes with its archive leaves nothing behind.
  `create function keep_deleted_passages() returns trigger language plpgsql as $$
  begin
    insert into past_passages
      (id, archive_id, words, tags, metadata, identifiers, embedding, embedding_model, created_at, stored_at)
    select old_rows.id, archive_id, words, tags, old_rows.metadata, identifiers, old_rows.embedding, embedding_model,
      old_rows.created_at, stored_at
    from old_rows join archives on archives.id = old_rows.archive_id;
    return null;
  end $$`,
  `create trigger passages_keep_deleted after delete on passages
    referencing old table as old_rows for each statement execute function keep_deleted_passages()`,
  `create function keep_changed_passage() returns trigger language plpgsql as $$
  begin
    insert into past_passages
      (id, archive_id, words, tags, metadata, identifiers, embedding, embedding_model, created_at, stored_at)
    values (old.id, old.archive_id, old.words, old.tags, old.metadata, old.identifiers, old.embedding,
      old.embedding_model, old.created_at, old.stored_at);
    new.stored_at := clock_timestamp();
    return new;
  end $$`,
  `create trigger passages_keep_changed before update of words, tags, metadata on passages
    for each row when (old.archive_id is not null and
      (old.words, old.tags, old.metadata) is distinct from (new.words, new.tags, new.metadata))
    execute function keep_changed_passage()`,

  `alter table agent_blocks add column attached_at timestamptz not null default clock_timestamp()`,
  `update agent_blocks set attached_at = agents.created_at from agents where agents.id = agent_blocks.agent_id`,
  `create table past_attachments (
    agent_id text not null references agents on delete cascade,
    block_id text not null references blocks on delete cascade,
    label text not null,
    position integer not null,
    read_only boolean not null,
    attached_at timestamptz not null,
    detached_at timestamptz not null default clock_timestamp(),
    primary key (agent_id, block_id, attached_at)
  )`,
  `create function keep_past_attachments() returns trigger language plpgsql as $$
  begin
    insert into past_attachments (agent_id, block_id, label, position, read_only, attached_at)
    select agent_id, block_id, old_rows.label, position, old_rows.read_only, attached_at
    from old_rows join agents on agents.id = agent_id join blocks on blocks.id = block_id;
    return null;
  end $$`,
  `create trigger agent_blocks_keep_past after delete on agent_blocks
    referencing old table as old_rows for each statement execute function keep_past_attachments()`,

  // Where the queue of a thread began, and what stood for the messages before it.
  `create table queue_moves (
    thread_id text not null references threads on delete cascade,
    moved_at timestamptz not null default clock_timestamp(),
    queue_start bigint not null,
    summary_block_id text references blocks on delete set null,
    primary key (thread_id, moved_at)
  )`,
  `insert into queue_moves (thread_id, moved_at, queue_start, summary_block_id)
    select evictions.thread_id, evictions.created_at, keep_from, summary_block_id
    from evictions join threads on threads.id = evictions.thread_id
    on conflict do nothing`,
  `create function keep_queue_move() returns trigger language plpgsql as $$
  begin
    insert into queue_moves (thread_id, queue_start, summary_block_id)
    values (new.id, new.queue_start, new.summary_block_id)
    on conflict (thread_id, moved_at) do update
      set queue_start = excluded.queue_start, summary_block_id = excluded.summary_block_id;
    return null;
  end $$`,
  `create trigger threads_keep_queue_move after update of queue_start, summary_block_id on threads
    for each row when ((old.queue_start, old.summary_block_id) is distinct from (new.queue_start, new.summary_block_id))
    execute function keep_queue_move()`,
];
