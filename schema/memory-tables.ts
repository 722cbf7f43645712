import type { ColumnType } from 'kysely';

/** Parts of an eviction that are summarised while the whole is not. */
export interface ChunkSummariesTable {
  thread_id: string;
  fingerprint: string;
  summary: string;
  created_at: ColumnType<Date, never, never>;
}
