import type { ColumnType, Generated } from 'kysely';
import type { ToolRequirement, ToolRuntime } from '../../core/tools/custom-tools.js';
import type { McpConfig } from '../../core/tools/mcp.js';
import type { ToolSchema } from '../../core/models/model.js';
import type { Extras, Json, Moment } from '../db/columns.js';

export interface ToolsTable {
  id: string;
  name: string;
  tool_type: string;
  description: string;
  source_type: string | null;
  source_code: string | null;
  json_schema: Json<ToolSchema>;
  args_schema: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  requirements: ColumnType<ToolRequirement[], string | undefined, string>;
  runtime: ColumnType<Partial<ToolRuntime>, string | undefined, string>;
  tags: string[];
  return_limit: Generated<number>;
  extras: Extras;
  created_at: Moment;
  updated_at: Moment;
}

export interface AgentToolsTable {
  agent_id: string;
  tool_id: string;
  position: number;
}

/** Tokens of running tools; `digest` is the SHA-256 of the token, in hex. */
export interface ToolTokensTable {
  digest: string;
  agent_id: string;
  turn_id: string | null;
  step_id: string | null;
  tool_call_id: string | null;
  effect_id: string | null;
  expires_at: Date;
}

export interface McpServersTable {
  id: string;
  name: string;
  /** Its secrets are sealed. */
  config: Json<McpConfig>;
  created_at: Moment;
  updated_at: Moment;
}

/** The tables of tools and MCP servers. */
export interface ToolTables {
  tools: ToolsTable;
  agent_tools: AgentToolsTable;
  tool_tokens: ToolTokensTable;
  mcp_servers: McpServersTable;
}
