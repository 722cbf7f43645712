import type { ColumnType, Generated } from 'kysely';

export interface AgentImportsTable {
  id: Generated<number>;
  request_key: string | null;
  request_hash: string;
  agent_ids: string[];
  notes: string[];
  created_at: ColumnType<Date, Date | undefined, Date>;
}

/** What imports have made. */
export interface ImportTables {
  agent_imports: AgentImportsTable;
}
