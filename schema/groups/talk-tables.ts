import type { ColumnType, Generated } from 'kysely';
import type { StopReason, TurnState } from '../../core/turns/stop-reasons.js';
import type { TalkMessage, TalkPlan } from '../../core/groups/talks.js';
import type { TurnOptions } from '../turns/records.js';

type Json<T> = ColumnType<T, string, never>;

export interface TalksTable {
  id: string;
  group_id: string;
  seq: ColumnType<number, never, never>;
  state: Generated<TurnState>;
  plan: Json<TalkPlan>;
  messages: Json<TalkMessage[]>;
  options: Json<TurnOptions>;
  request_key: string | null;
  request_hash: string | null;
  stop_reason: StopReason | null;
  touched_at: Generated<Date>;
  created_at: Generated<Date>;
  completed_at: Date | null;
}

export interface TalkTurnsTable {
  talk_id: string;
  ordinal: number;
  agent_id: string;
  role: 'speaking' | 'choosing' | 'hearing';
  turn_id: string | null;
  heard: number;
  opens: boolean;
  deadline: Date;
  said: string[];
  stop_reason: StopReason | null;
  created_at: Generated<Date>;
}

/** The tables of talks. */
export interface TalkTables {
  talks: TalksTable;
  talk_turns: TalkTurnsTable;
}
