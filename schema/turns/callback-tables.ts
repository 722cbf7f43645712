import type { Generated } from 'kysely';

export interface TurnCallbacksTable {
  turn_id: string;
  state: Generated<'waiting' | 'done' | 'given_up'>;
  started_at: Date | null;
  sent_at: Date | null;
  status_code: number | null;
  error: string | null;
}

/** The tables of callbacks. */
export interface CallbackTables {
  turn_callbacks: TurnCallbacksTable;
}
