import type { Generated } from 'kysely';
import type { ToolRule } from '../../core/agents/tool-rules.js';
import type { ModelSettings } from '../../core/models/model.js';
import type { Extras, Json, Moment } from '../db/columns.js';

export interface AgentsTable {
  id: string;
  name: string;
  agent_type: string;
  system: string;
  description: string | null;
  metadata: Extras;
  model: string;
  embedding: string;
  context_window: number | null;
  model_settings: Json<ModelSettings>;
  tool_rules: Json<ToolRule[]>;
  timezone: string;
  made_by: Generated<string | null>;
  extras: Extras;
  created_at: Moment;
  updated_at: Moment;
  deleted_at: Date | null;
}

export interface AgentTagsTable {
  agent_id: string;
  tag: string;
}

/** In which period each agent's latest turn ended. */
export interface AgentEndsTable {
  agent_id: string;
  /** The beginning of its five minutes; `-infinity`: none has ended. Deleted turns count. */
  period: Moment;
}

/** The tables of agents. */
export interface AgentTables {
  agents: AgentsTable;
  agent_ends: AgentEndsTable;
  agent_tags: AgentTagsTable;
}
