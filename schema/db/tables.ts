import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { EdgesTable } from '../turns/edge-tables.js';
import type { Actor, RevisionOperation } from '../../core/blocks/blocks.js';
import type { ModelSettings, ToolSchema } from '../../core/turns/model.js';
import type { ToolRule } from '../../core/tools/rules.js';
import type { BlockTables } from '../blocks/tables.js';
import type { FeedbackTables } from '../turns/feedback-tables.js';
import type { GroupTables } from '../groups/tables.js';
import type { IdentityTables } from '../identities/tables.js';
import type { ImportTables } from '../transfer/tables.js';
import type { McpTables } from '../tools/mcp-tables.js';
import type { PinTables } from '../archives/pin-tables.js';
import type { StoreTables } from '../archives/store-tables.js';
import type { RefinementTables } from '../refinement/tables.js';
import type { ScheduleTables } from '../schedules/tables.js';
import type { ChunkSummariesTable, QueueMovesTable } from '../threads/summary-tables.js';
import type { ToolRequirement, ToolRuntime } from '../../core/tools/custom-tools.js';
import type { ToolTokensTable } from '../tools/token-tables.js';
import type { CallbackTables } from '../turns/callback-tables.js';
import type { TalkTables } from '../groups/talk-tables.js';
import type { SourceTables } from '../files/tables.js';
import type { ThreadTables } from '../threads/tables.js';
import type { TurnTables } from '../turns/tables.js';

/** A moment that the database sets, unless told one. */
type Moment = ColumnType<Date, Date | undefined, Date>;
type Json<T> = ColumnType<T, string, string>;
type Extras = JSONColumnType<Record<string, unknown>>;

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

export interface ToolsTable {
  id: string;
  name: string;
  tool_type: string;
  description: string;
  source_type: string | null;
  source_code: string | null;
  json_schema: Json<ToolSchema>;
  args_schema: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  requirements: JSONColumnType<ToolRequirement[], string | undefined>;
  runtime: JSONColumnType<Partial<ToolRuntime>, string | undefined>;
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

export interface BlocksTable {
  id: string;
  label: string;
  value: string;
  value_limit: number;
  description: string | null;
  read_only: boolean;
  metadata: Extras;
  tags: string[];
  revision: Generated<number>;
  extras: Extras;
  created_at: Moment;
  updated_at: Moment;
}

export interface AgentBlocksTable {
  agent_id: string;
  block_id: string;
  label: string;
  position: number;
  read_only: Generated<boolean>;
  notify: Generated<boolean>;
  notified_revision: Generated<number>;
}

export interface BlockRevisionsTable {
  block_id: string;
  revision: number;
  operation: Json<RevisionOperation>;
  value: string;
  actor: Actor;
  agent_id: string | null;
  turn_id: string | null;
  step_id: string | null;
  tool_call_id: string | null;
  effect_id: string | null;
  created_at: Moment;
  seq: Generated<number>;
}

export interface ArchivesTable {
  id: string;
  name: string;
  description: string | null;
  embedding: string;
  metadata: Extras;
  passages: Generated<number>;
  created_at: Moment;
  updated_at: Moment;
}

export interface AgentArchivesTable {
  agent_id: string;
  archive_id: string;
  is_owner: boolean;
}

export interface PassagesTable {
  id: string;
  archive_id: string | null;
  source_id: string | null;
  file_id: string | null;
  words: string;
  tags: string[];
  metadata: Extras;
  identifiers: string[];
  embedding: number[] | null;
  embedding_model: string | null;
  created_at: Moment;
  lexemes: ColumnType<string, never, never>;
}

/** Every table, as Kysely knows it. */
export interface Tables
  extends
    BlockTables,
    GroupTables,
    IdentityTables,
    ImportTables,
    RefinementTables,
    SourceTables,
    ThreadTables,
    TurnTables,
    FeedbackTables,
    McpTables,
    PinTables,
    ScheduleTables,
    StoreTables,
    TalkTables,
    CallbackTables {
  agents: AgentsTable;
  agent_tags: AgentTagsTable;
  tools: ToolsTable;
  tool_tokens: ToolTokensTable;
  agent_tools: AgentToolsTable;
  blocks: BlocksTable;
  agent_blocks: AgentBlocksTable;
  block_revisions: BlockRevisionsTable;
  edges: EdgesTable;
  archives: ArchivesTable;
  agent_archives: AgentArchivesTable;
  passages: PassagesTable;
  chunk_summaries: ChunkSummariesTable;
  queue_moves: QueueMovesTable;
}
