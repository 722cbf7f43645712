import type { ColumnType, Generated } from 'kysely';
import type { ManagerConfig, ManagerType } from '../../core/groups/groups.js';
import type { TalkMessage, TalkPlan } from '../../core/groups/talks.js';
import type { StopReason, TurnState } from '../../core/turns/stop-reasons.js';
import type { TurnOptions } from '../turns/records.js';
import type { Extras, Json, Moment } from '../db/columns.js';

export interface GroupsTable {
  id: string;
  manager_type: ManagerType;
  manager_agent_id: string | null;
  description: string;
  manager_config: Json<ManagerConfig>;
  turns_counter: Generated<number>;
  paused: Generated<boolean>;
  extras: Extras;
  created_at: Moment;
  updated_at: Moment;
}

export interface GroupAgentsTable {
  group_id: string;
  agent_id: string;
  position: number;
}

export interface GroupBlocksTable {
  group_id: string;
  block_id: string;
}

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

/** The tables of groups and their talks. */
export interface GroupTables {
  groups: GroupsTable;
  group_agents: GroupAgentsTable;
  group_blocks: GroupBlocksTable;
  talks: TalksTable;
  talk_turns: TalkTurnsTable;
}
