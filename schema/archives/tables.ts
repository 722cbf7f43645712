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

/** Passages that are pinned into agents' contexts. */
export interface PinnedPassagesTable {
  agent_id: string;
  passage_id: string;
  pinned_at: Moment;
}

/** Users' own stores to which the database feeds passages. */
export interface PassageStoresTable {
  name: string;
  created_at: Moment;
}

/** A change of a passage that a store does not know yet. */
export interface PassageFeedTable {
  seq: GeneratedAlways<number>;
  store: string;
  archive_id: string;
  passage_id: string;
}

/** The tables of archives, passages and users' own stores. */
export interface ArchiveTables {
  archives: ArchivesTable;
  agent_archives: AgentArchivesTable;
  passages: PassagesTable;
  pinned_passages: PinnedPassagesTable;
  passage_stores: PassageStoresTable;
  passage_feed: PassageFeedTable;
}
