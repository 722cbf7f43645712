import type { ClientSkill } from '../../core/agents/client-skills.js';
import type { Chore } from '../../core/turns/chores.js';
import type { FinishReason, ModelToolCall, ToolSchema } from '../../core/models/model.js';
import type { TurnError } from '../../core/turns/events.js';
import type { StopReason, TurnState } from '../../core/turns/stop-reasons.js';
import type { Refusal } from '../../core/turns/turn.js';
import type { Usage } from '../../core/models/usage.js';

/** What wakes a thread. */
export type DeliveryKind =
  'message' | 'reply' | 'approval' | 'schedule' | 'sleep_time' | 'compact' | 'reset' | 'message_edit';

/** Options of one turn, from its sender. */
export interface TurnOptions {
  /** The most model calls. Default 50. */
  readonly maxSteps?: number;
  /** Whether fragments of answers go to the event log. */
  readonly streamTokens?: boolean;
  /** Whether another agent's tool call, or a group's talk, waits for this turn's end. */
  readonly asked?: boolean;
  /** The group that the agent leads in this turn, with a tool to ask its agents. */
  readonly supervises?: string;
  /** The refinement that the turn belongs to, which limits its cost. */
  readonly refinement?: string;
  /** What the turn does instead of calling the model. */
  readonly chore?: Chore;
  /** A different model for this turn only. Handle. */
  readonly overrideModel?: string;
  /** The form of the model's answers in this turn only, as in the provider's API. */
  readonly responseFormat?: Readonly<Record<string, unknown>>;
  /** Different base instructions for this turn only. */
  readonly overrideSystem?: string;
  /** Tools that the sender runs itself. Their calls wait for it. */
  readonly clientTools?: readonly ToolSchema[];
  /** Skills of the sender, which the prompt lists. */
  readonly clientSkills?: readonly ClientSkill[];
  /** The turn that its message interrupted. */
  readonly interrupted?: string;
  /** Where to report the turn's end. */
  readonly callbackUrl?: string;
  /** Whether the sender does not wait. Returned in the run, otherwise unused. */
  readonly background?: boolean;
  /** Fields of the request that only the REST API reads, to render this run's messages. */
  readonly wire?: Readonly<Record<string, unknown>>;
}

/** From a wake-up until the agent yields. */
export interface Turn {
  readonly id: string;
  readonly threadId: string;
  readonly agentId: string;
  readonly state: TurnState;
  readonly options: TurnOptions;
  readonly stopReason: StopReason | null;
  readonly error: TurnError | null;
  /** The number of steps begun. */
  readonly steps: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  /** Time from its creation to the first fragment of its first answer, in ms. */
  readonly firstTokenMs: number | null;
}

export type StepState = 'pending' | 'answered' | 'failed' | 'cancelled';

/** Why an attempt of a step failed, and when to retry. */
export interface AttemptError extends TurnError {
  readonly attempt: number;
  readonly retryable: boolean;
  /** How long the other side asked us to wait, in ms. */
  readonly retryAfterMs?: number | undefined;
}

/** One model call and the tools it asked for. */
export interface Step {
  readonly id: string;
  readonly turnId: string;
  readonly threadId: string;
  readonly agentId: string;
  /** From 0. */
  readonly index: number;
  readonly state: StepState;
  readonly model: string;
  /** The attempt that answered or is running, from 1. */
  readonly attempt: number;
  readonly answerMessageId: string | null;
  readonly finishReason: FinishReason | null;
  readonly usage: Usage;
  /** Tokens of the window that the call was made for. */
  readonly contextWindow: number;
  /** The error of the last failed attempt. */
  readonly error: AttemptError | null;
  readonly createdAt: Date;
  readonly answeredAt: Date | null;
}

/**
 * `planned`: the model asked for it. `started`: the tool is about to run. `awaiting`: a person or the client must
 * decide. `held`: a call beside it waits so. `done`: it has its result.
 */
export type EffectState = 'planned' | 'started' | 'awaiting' | 'held' | 'done';

/** A tool call with its outcome. Its id is assigned before the tool runs. */
export interface Effect {
  readonly id: string;
  readonly turnId: string;
  readonly stepId: string;
  /** Index among the step's tool calls, from 0. */
  readonly index: number;
  readonly call: ModelToolCall;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly requestHeartbeat: boolean;
  readonly state: EffectState;
  readonly status: 'success' | 'error' | null;
  readonly refusal: Refusal | null;
  readonly resultMessageId: string;
}
