import type { Generated } from 'kysely';
import type { Actor, RevisionOperation } from '../../core/blocks/blocks.js';
import type { Extras, Json, Moment } from '../db/columns.js';

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

/** Records that a change woke an agent, and in which turn. */
export interface BlockWakesTable {
  agent_id: string;
  /** The edit from outside that caused the change, as `block:revision`. */
  origin: string;
  turn_id: string;
}

/** The tables of blocks. */
export interface BlockTables {
  blocks: BlocksTable;
  agent_blocks: AgentBlocksTable;
  block_revisions: BlockRevisionsTable;
  block_wakes: BlockWakesTable;
}
