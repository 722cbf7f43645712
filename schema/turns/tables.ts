import type { ColumnType, Generated } from 'kysely';
import type { Refused } from '../../core/groups/agent-talk.js';
import type { ApprovalDecision } from '../../core/turns/approvals.js';
import type { TurnError, TurnEvent } from '../../core/turns/events.js';
import type { StopReason, TurnState } from '../../core/turns/stop-reasons.js';
import type { Refusal } from '../../core/turns/turn.js';
import type { Json, Moment, OptionalJson } from '../db/columns.js';
import type { AttemptError, DeliveryKind, EffectState, StepState, TurnOptions } from './records.js';

export interface TurnsTable {
  id: string;
  thread_id: string;
  agent_id: string;
  state: TurnState;
  execution_id: string | null;
  /** The key of the worker that claimed it. */
  worker: number | null;
  options: Json<TurnOptions>;
  request_key: string | null;
  request_hash: string | null;
  stop_reason: StopReason | null;
  error: OptionalJson<TurnError>;
  steps: Generated<number>;
  event_seq: Generated<number>;
  resumptions: Generated<number>;
  resumed_at_step: Generated<number>;
  /**
   * The number of workers that died while running it since its last new step, its count of steps then, and the last
   * of these workers.
   */
  deaths: Generated<number>;
  died_at_step: Generated<number>;
  died_with: number | null;
  absorbed_by: string | null;
  touched_at: Moment;
  created_at: Moment;
  started_at: Date | null;
  completed_at: Date | null;
  first_token_ms: number | null;
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

/** The running worker processes. */
export interface WorkersTable {
  key: number;
  identity: string;
  started_at: Moment;
  /** The thread whose turn blocked the worker's event loop. */
  stuck_in: string | null;
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
  estimated_tokens: number | null;
  shortened: Generated<boolean>;
  error: OptionalJson<AttemptError>;
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

export interface EdgesTable {
  effect_id: string;
  to_agent: string;
  from_thread: string;
  from_turn: string;
  to_thread: string;
  to_turn: string | null;
  /** `dropped`: nobody waits any more. `refused`: the agent was not asked. */
  state: 'waiting' | 'answered' | 'dropped' | 'refused';
  stop_reason: StopReason | null;
  refusal: Refused | null;
  deadline: Date;
  created_at: Moment;
  answered_at: Date | null;
}

export interface TurnCallbacksTable {
  turn_id: string;
  state: Generated<'waiting' | 'done' | 'given_up'>;
  started_at: Date | null;
  sent_at: Date | null;
  status_code: number | null;
  error: string | null;
}

/** People's feedback on steps. */
export interface StepFeedbackTable {
  step_id: string;
  feedback: 'positive' | 'negative' | null;
  tags: string[];
}

/** The tables of turns: deliveries, steps, effects, events, and edges between threads. */
export interface TurnTables {
  turns: TurnsTable;
  deliveries: DeliveriesTable;
  steps: StepsTable;
  effects: EffectsTable;
  turn_events: TurnEventsTable;
  edges: EdgesTable;
  turn_callbacks: TurnCallbacksTable;
  step_feedback: StepFeedbackTable;
  workers: WorkersTable;
}
