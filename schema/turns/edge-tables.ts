import type { ColumnType } from 'kysely';
import type { Refused } from '../../core/groups/agent-talk.js';
import type { StopReason } from '../../core/turns/stop-reasons.js';

export interface EdgesTable {
  effect_id: string;
  to_agent: string;
  from_thread: string;
  from_turn: string;
  to_thread: string;
  to_turn: string | null;
  /** `dropped`: nobody waits any more. `refused`: it was never asked. */
  state: 'waiting' | 'answered' | 'dropped' | 'refused';
  stop_reason: StopReason | null;
  refusal: Refused | null;
  deadline: Date;
  created_at: ColumnType<Date, Date | undefined, Date>;
  answered_at: Date | null;
}
