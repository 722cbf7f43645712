import type { ColumnType } from 'kysely';

/** Passages that agents keep in their context. */
export interface PinnedPassagesTable {
  agent_id: string;
  passage_id: string;
  pinned_at: ColumnType<Date, Date | undefined, Date>;
}

export interface PinTables {
  pinned_passages: PinnedPassagesTable;
}
