import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Extras, Moment } from '../db/columns.js';

export interface ArchivesTable {
  id: string;
  name: string;
  description: string | null;
  embedding: string;
  metadata: Extras;
  passages: Generated<number>;
  created_at: Moment;
  updated_at: Moment;
}

export interface AgentArchivesTable {
  agent_id: string;
  archive_id: string;
  is_owner: boolean;
}

export interface PassagesTable {
  id: string;
  archive_id: string | null;
  source_id: string | null;
  file_id: string | null;
  words: string;
  tags: string[];
  metadata: Extras;
  identifiers: string[];
  embedding: number[] | null;
  embedding_model: string | null;
  created_at: Moment;
  lexemes: ColumnType<string, never, never>;
}

/** Passages that agents keep in their context. */
export interface PinnedPassagesTable {
  agent_id: string;
  passage_id: string;
  pinned_at: Moment;
}

/** Stores of users' own, which the database tells of passages. */
export interface PassageStoresTable {
  name: string;
  created_at: Moment;
}

/** What a store has yet to be told: a passage that came, changed or went. */
export interface PassageFeedTable {
  seq: GeneratedAlways<number>;
  store: string;
  archive_id: string;
  passage_id: string;
}

/** The tables of archives, passages and the stores that find them. */
export interface ArchiveTables {
  archives: ArchivesTable;
  agent_archives: AgentArchivesTable;
  passages: PassagesTable;
  pinned_passages: PinnedPassagesTable;
  passage_stores: PassageStoresTable;
  passage_feed: PassageFeedTable;
}
