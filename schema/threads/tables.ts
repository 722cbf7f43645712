import type { ColumnType, Generated } from 'kysely';
import type { MemoryFigures } from '../../core/threads/memory-figures.js';
import type { MessageBody, MessageKind } from '../../core/threads/messages.js';
import type { ToolSchema } from '../../core/models/model.js';
import type { Json, Moment } from '../db/columns.js';

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

/** Summaries of parts of an unfinished eviction. */
export interface ChunkSummariesTable {
  thread_id: string;
  fingerprint: string;
  summary: string;
  created_at: ColumnType<Date, never, never>;
}

/** The history of a thread's queue: its start from a moment on, and the summary before it. Written by a trigger. */
export interface QueueMovesTable {
  thread_id: string;
  moved_at: ColumnType<Date, never, never>;
  queue_start: ColumnType<number, never, never>;
  summary_block_id: ColumnType<string | null, never, never>;
}

/** The tables of threads: messages, and what of them the model sees. */
export interface ThreadTables {
  threads: ThreadsTable;
  messages: MessagesTable;
  epochs: EpochsTable;
  seen_revisions: SeenRevisionsTable;
  evictions: EvictionsTable;
  chunk_summaries: ChunkSummariesTable;
  queue_moves: QueueMovesTable;
}
