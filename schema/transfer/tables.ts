import type { Generated } from 'kysely';
import type { Moment } from '../db/columns.js';

export interface AgentImportsTable {
  id: Generated<number>;
  request_key: string | null;
  request_hash: string;
  agent_ids: string[];
  notes: string[];
  created_at: Moment;
}

/** The results of imports. */
export interface TransferTables {
  agent_imports: AgentImportsTable;
}
