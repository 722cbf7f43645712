import type { ColumnType } from 'kysely';
import type { McpConfig } from '../../core/tools/mcp.js';

export interface McpServersTable {
  id: string;
  name: string;
  /** Its secrets are sealed. */
  config: ColumnType<McpConfig, string, string>;
  created_at: ColumnType<Date, Date | undefined, Date>;
  updated_at: ColumnType<Date, Date | undefined, Date>;
}

/** Tables of MCP servers. */
export interface McpTables {
  mcp_servers: McpServersTable;
}
