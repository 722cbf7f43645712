import type { Generated } from 'kysely';
import type { RefinementSettings } from '../../core/groups/groups.js';
import type {
  RefinementCause,
  RefinementDocument,
  RefinementEnd,
  RefinementState,
} from '../../core/refinement/refinement.js';
import type { TurnError } from '../../core/turns/events.js';
import type { Json, Moment, OptionalJson } from '../db/columns.js';

export interface RefinementRequestsTable {
  id: string;
  group_id: string;
  partner_id: string;
  cause: RefinementCause;
  instructions: string | null;
  parts: OptionalJson<DocumentPart[]>;
  cycles: Generated<number>;
  parts_done: Generated<number>;
  state: 'waiting' | 'done' | 'failed';
  created_at: Moment;
}

/** A document, or a part of a long one. */
export interface DocumentPart extends RefinementDocument {
  /** 1-based. */
  readonly part: number;
  readonly parts: number;
}

export interface RefinementsTable {
  id: string;
  group_id: string;
  partner_id: string;
  agent_id: string;
  request_id: string;
  cause: RefinementCause;
  state: RefinementState;
  ended_by: RefinementEnd | null;
  error: OptionalJson<TurnError>;
  settings: Json<RefinementSettings>;
  round: Generated<number>;
  created_at: Moment;
  completed_at: Date | null;
}

export interface RefinementRangesTable {
  refinement_id: string;
  thread_id: string;
  from_position: number;
  to_position: number;
}

export interface RefinementBranchesTable {
  refinement_id: string;
  block_id: string;
  base_revision: number;
  base_value: string;
  value: string;
  state: 'open' | 'merged' | 'dropped';
  note: string | null;
  merged_revision: number | null;
}

export interface RefinementPassagesTable {
  id: string;
  refinement_id: string;
  words: string;
  embedding: number[] | null;
  embedding_model: string | null;
}

export interface WatermarksTable {
  partner_id: string;
  thread_id: string;
  position: number;
  updated_at: Moment;
}

export interface TokenReservationsTable {
  refinement_id: string;
  step_id: string;
  attempt: number;
  tokens: number;
  released: Generated<boolean>;
}

/** The tables of refinements. */
export interface RefinementTables {
  refinement_requests: RefinementRequestsTable;
  refinements: RefinementsTable;
  refinement_ranges: RefinementRangesTable;
  refinement_branches: RefinementBranchesTable;
  refinement_passages: RefinementPassagesTable;
  watermarks: WatermarksTable;
  token_reservations: TokenReservationsTable;
}
