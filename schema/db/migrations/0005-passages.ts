import { type Kysely, sql } from 'kysely';

/** Archives and their passages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

// Raw statements, because generated columns, partial indexes and checks read best as the SQL they are.
const statements = [
  `create table archives (
    id text primary key,
    name text not null,
    description text,
    embedding text not null,
    metadata jsonb not null default '{}',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create table agent_archives (
    agent_id text not null references agents on delete cascade,
    archive_id text not null references archives on delete cascade,
    is_owner boolean not null default false,
    primary key (agent_id, archive_id)
  )`,
  `create index agent_archives_by_archive on agent_archives (archive_id)`,
  // Owned by an archive or, as a chunk of a file, by a source. Vectors of any size, of any model, share the column:
  // pgvector indexes an expression over it per size, and the exact store reads it as it is.
  `create table passages (
    id text primary key,
    archive_id text references archives on delete cascade,
    source_id text,
    file_id text,
    words text not null,
    tags text[] not null default '{}',
    metadata jsonb not null default '{}',
    identifiers text[] not null default '{}',
    embedding real[],
    embedding_model text,
    created_at timestamptz not null default clock_timestamp(),
    lexemes tsvector generated always as (to_tsvector('english', left(words, 200000)) || to_tsvector('simple', left(words, 200000))) stored,
    check ((archive_id is null) <> (source_id is null))
  )`,
  `create index passages_by_archive on passages (archive_id, created_at, id)`,
  `create index passages_by_source on passages (source_id, created_at, id)`,
  `create index passages_lexemes on passages using gin (lexemes)`,
  `create index passages_identifiers on passages using gin (identifiers)`,
  `create index passages_tags on passages using gin (tags)`,
];
