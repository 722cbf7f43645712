import type { Generated } from 'kysely';
import type { ScheduledMessage, Timing } from '../../core/schedules/schedules.js';
import type { TurnOptions } from '../turns/records.js';
import type { Json, Moment } from '../db/columns.js';

export interface SchedulesTable {
  id: string;
  kind: 'message' | 'refinement';
  agent_id: string;
  group_id: string | null;
  partner_id: string | null;
  timing: Json<Timing>;
  messages: Json<ScheduledMessage[]>;
  options: Json<TurnOptions>;
  paused: Generated<boolean>;
  note: string | null;
  deleted: Generated<boolean>;
  synced: Generated<boolean>;
  version: Generated<number>;
  fired_at: Date | null;
  created_at: Moment;
  updated_at: Moment;
}

/** The tables of schedules. */
export interface ScheduleTables {
  schedules: SchedulesTable;
}
