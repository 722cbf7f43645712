import type { ColumnType } from 'kysely';

/** Parts of an eviction that are summarised while the whole is not. */
export interface ChunkSummariesTable {
  thread_id: string;
  fingerprint: string;
  summary: string;
  created_at: ColumnType<Date, never, never>;
}

/** Where a thread's queue began from a moment on, and what stood for the messages before it. A trigger writes it. */
export interface QueueMovesTable {
  thread_id: string;
  moved_at: ColumnType<Date, never, never>;
  queue_start: ColumnType<number, never, never>;
  summary_block_id: ColumnType<string | null, never, never>;
}
