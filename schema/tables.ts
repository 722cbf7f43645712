import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { ApprovalDecision } from '../core/approvals.js';
import type { EdgesTable } from './edge-tables.js';
import type { Actor, RevisionOperation } from '../core/blocks.js';
import type { TurnError, TurnEvent } from '../core/events.js';
import type { MemoryFigures } from '../core/memory-figures.js';
import type { MessageBody, MessageKind } from '../core/messages.js';
import type { ModelSettings, ToolSchema } from '../core/model.js';
import type { StopReason, TurnState } from '../core/stop-reasons.js';
import type { ToolRule } from '../core/tool-rules.js';
import type { BlockTables } from './block-tables.js';
import type { FeedbackTables } from './feedback-tables.js';
import type { GroupTables } from './group-tables.js';
import type { McpTables } from './mcp-tables.js';
import type { RefinementTables } from './refinement-tables.js';
import type { ScheduleTables } from './schedule-tables.js';
import type { ChunkSummariesTable, QueueMovesTable } from './memory-tables.js';
import type { ToolRequirement, ToolRuntime } from '../core/custom-tools.js';
import type { ToolTokensTable } from './sandbox-tables.js';
import type { Refusal } from '../core/turn.js';
import type { DeliveryKind, EffectState, StepState, TurnOptions } from './records.js';
import type { SourceTables } from './source-tables.js';

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

export interface ThreadsTable {
  id: string;
  agent_id: string;
  is_default: boolean;
  next_delivery: Generated<number>;
  next_position: Generated<number>;
  queue_start: Generated<number>;
  epoch_id: string | null;
  summary_block_id: string | null;
  learned_window: number | null;
  learned_model: string | null;
  recall_messages: Generated<number>;
  extras: ColumnType<Record<string, unknown>, string | undefined, string>;
  awaiting_step: string | null;
  archived_at: Date | null;
  deleted_at: Date | null;
  created_at: Moment;
  updated_at: Moment;
}

export interface MessagesTable {
  id: string;
  agent_id: string;
  thread_id: string;
  turn_id: string | null;
  step_id: string | null;
  position: number | null;
  ordinal: Generated<number>;
  kind: MessageKind;
  body: Json<MessageBody>;
  words: string;
  tokens: number;
  otid: string | null;
  sender_id: string | null;
  identifiers: string[];
  embedding: number[] | null;
  embedding_model: string | null;
  created_at: Moment;
  lexemes: ColumnType<string, never, never>;
}

export interface EpochsTable {
  id: string;
  thread_id: string;
  prefix: string;
  tools: Json<ToolSchema[]>;
  fingerprint: string;
  figures: Json<MemoryFigures>;
  notice_characters: Generated<number>;
  created_at: Moment;
}

export interface SeenRevisionsTable {
  thread_id: string;
  block_id: string;
  revision: number;
}

export interface TurnsTable {
  id: string;
  thread_id: string;
  agent_id: string;
  state: TurnState;
  execution_id: string | null;
  options: Json<TurnOptions>;
  request_key: string | null;
  request_hash: string | null;
  stop_reason: StopReason | null;
  error: ColumnType<TurnError | null, string | null, string | null>;
  steps: Generated<number>;
  event_seq: Generated<number>;
  resumptions: Generated<number>;
  resumed_at_step: Generated<number>;
  absorbed_by: string | null;
  touched_at: Moment;
  created_at: Moment;
  started_at: Date | null;
  completed_at: Date | null;
}

export interface DeliveriesTable {
  id: string;
  thread_id: string;
  seq: number;
  kind: DeliveryKind;
  turn_id: string;
  steer: boolean;
  state: 'waiting' | 'claimed' | 'absorbed' | 'done';
  claimed_by: string | null;
  claim_ordinal: number | null;
  created_at: Moment;
}

export interface StepsTable {
  id: string;
  turn_id: string;
  thread_id: string;
  agent_id: string;
  index: number;
  state: StepState;
  model: string;
  epoch_id: string | null;
  attempt: Generated<number>;
  answer_message_id: string | null;
  finish_reason: string | null;
  prompt_tokens: Generated<number>;
  completion_tokens: Generated<number>;
  total_tokens: Generated<number>;
  cached_tokens: Generated<number>;
  reasoning_tokens: Generated<number>;
  context_window: Generated<number>;
  error: ColumnType<TurnError | null, string | null, string | null>;
  created_at: Moment;
  answered_at: Date | null;
}

export interface EffectsTable {
  id: string;
  turn_id: string;
  step_id: string;
  index: number;
  tool_call_id: string;
  tool_name: string;
  arguments: Json<Record<string, unknown>>;
  request_heartbeat: boolean;
  state: EffectState;
  status: 'success' | 'error' | null;
  refusal: Refusal | null;
  decision: ColumnType<ApprovalDecision | null, string | null | undefined, string | null>;
  result_message_id: string;
  started_at: Date | null;
  completed_at: Date | null;
}

export interface TurnEventsTable {
  turn_id: string;
  seq: number;
  event: Json<TurnEvent>;
  created_at: Moment;
}

export interface EvictionsTable {
  id: string;
  thread_id: string;
  turn_id: string;
  level: number;
  method: string;
  keep_from: number;
  messages: number;
  tokens_before: number;
  tokens_after: number;
  created_at: Moment;
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
    RefinementTables,
    SourceTables,
    FeedbackTables,
    McpTables,
    ScheduleTables {
  agents: AgentsTable;
  agent_tags: AgentTagsTable;
  tools: ToolsTable;
  tool_tokens: ToolTokensTable;
  agent_tools: AgentToolsTable;
  blocks: BlocksTable;
  agent_blocks: AgentBlocksTable;
  block_revisions: BlockRevisionsTable;
  threads: ThreadsTable;
  messages: MessagesTable;
  epochs: EpochsTable;
  seen_revisions: SeenRevisionsTable;
  turns: TurnsTable;
  deliveries: DeliveriesTable;
  edges: EdgesTable;
  steps: StepsTable;
  effects: EffectsTable;
  turn_events: TurnEventsTable;
  evictions: EvictionsTable;
  archives: ArchivesTable;
  agent_archives: AgentArchivesTable;
  passages: PassagesTable;
  chunk_summaries: ChunkSummariesTable;
  queue_moves: QueueMovesTable;
}
