import { type Kysely, sql } from 'kysely';

/** Sources, their files on the way to passages, and which agents have them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because partial indexes, checks and storage read best as the SQL they are.
const statements = [
  `create table sources (
    id text primary key,
    name text not null unique,
    description text,
    instructions text,
    metadata jsonb not null default '{}',
    embedding text not null,
    chunk_size int not null,
    chunk_overlap int not null,
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp()
  )`,
  `create index sources_by_age on sources (created_at, id)`,
  `create table files (
    id text primary key,
    source_id text not null references sources on delete cascade,
    job_id text not null unique,
    name text not null,
    original_name text not null,
    media_type text,
    size bigint not null,
    state text not null default 'pending'
      check (state in ('pending', 'parsing', 'embedding', 'completed', 'failed', 'cancelled')),
    error text,
    chunks int,
    chunks_embedded int not null default 0,
    lines int,
    characters int,
    touched_at timestamptz not null default now(),
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    unique (source_id, name)
  )`,
  `create index files_by_source on files (source_id, created_at, id)`,
  // The sweep looks for files that nobody works on.
  `create index files_unfinished on files (touched_at) where state in ('pending', 'parsing', 'embedding')`,
  // Pieces of a megabyte: no process ever holds a whole upload.
  `create table file_bytes (
    file_id text not null references files on delete cascade,
    index int not null,
    bytes bytea not null,
    primary key (file_id, index)
  )`,
  // Documents are compressed already.
  `alter table file_bytes alter column bytes set storage external`,
  // The text of a file, cut at ends of lines.
  `create table file_parts (
    file_id text not null references files on delete cascade,
    index int not null,
    first_line int not null,
    words text not null,
    primary key (file_id, index)
  )`,
  // Passages in the making: nobody finds them before the whole file is ready.
  `create table file_chunks (
    file_id text not null references files on delete cascade,
    index int not null,
    passage_id text not null,
    words text not null,
    first_line int not null,
    last_line int not null,
    identifiers text[] not null default '{}',
    embedding real[],
    embedding_model text,
    primary key (file_id, index)
  )`,
  `create index file_chunks_waiting on file_chunks (file_id, index) where embedding is null`,
  // Outlives its file and its source: a client may still ask what became of it.
  `create table jobs (
    id text primary key,
    source_id text not null,
    file_id text not null,
    file_name text not null,
    state text not null default 'created'
      check (state in ('created', 'running', 'completed', 'failed', 'cancelled')),
    error text,
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    completed_at timestamptz
  )`,
  `create index jobs_by_age on jobs (created_at, id)`,
  `create index jobs_by_source on jobs (source_id)`,
  `create table agent_sources (
    agent_id text not null references agents on delete cascade,
    source_id text not null references sources on delete cascade,
    created_at timestamptz not null default clock_timestamp(),
    primary key (agent_id, source_id)
  )`,
  `create index agent_sources_by_source on agent_sources (source_id)`,
  // Files that the agent has opened once; all others of its sources are closed.
  `create table agent_files (
    agent_id text not null references agents on delete cascade,
    file_id text not null references files on delete cascade,
    is_open boolean not null,
    first_line int not null default 1,
    line_count int,
    accessed_at timestamptz not null default clock_timestamp(),
    primary key (agent_id, file_id)
  )`,
  `create index agent_files_by_file on agent_files (file_id)`,
  // Not valid: rows of before have nothing to be checked against.
  `alter table passages add constraint passages_source foreign key (source_id)
    references sources on delete cascade not valid`,
  `alter table passages add constraint passages_file foreign key (file_id)
    references files on delete cascade not valid`,
  `create index passages_by_file on passages (file_id) where file_id is not null`,
];
