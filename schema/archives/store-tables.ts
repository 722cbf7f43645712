import type { ColumnType, GeneratedAlways } from 'kysely';

/** Stores of users' own, which the database tells of passages. */
export interface PassageStoresTable {
  name: string;
  created_at: ColumnType<Date, Date | undefined, Date>;
}

/** What a store has yet to be told: a passage that came, changed or went. */
export interface PassageFeedTable {
  seq: GeneratedAlways<number>;
  store: string;
  archive_id: string;
  passage_id: string;
}

export interface StoreTables {
  passage_stores: PassageStoresTable;
  passage_feed: PassageFeedTable;
}
