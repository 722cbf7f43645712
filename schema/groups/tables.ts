import type { ColumnType, Generated } from 'kysely';
import type { ManagerConfig, ManagerType } from '../../core/groups/groups.js';

type Moment = ColumnType<Date, Date | undefined, Date>;

export interface GroupsTable {
  id: string;
  manager_type: ManagerType;
  manager_agent_id: string | null;
  description: string;
  manager_config: ColumnType<ManagerConfig, string, string>;
  turns_counter: Generated<number>;
  paused: Generated<boolean>;
  extras: ColumnType<Record<string, unknown>, string, string>;
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

/** The tables of groups. */
export interface GroupTables {
  groups: GroupsTable;
  group_agents: GroupAgentsTable;
  group_blocks: GroupBlocksTable;
}
