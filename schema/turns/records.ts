import type { ClientSkill } from '../../core/agents/client-skills.js';
import type { Chore } from '../../core/turns/chores.js';
import type { FinishReason, ModelToolCall, ToolSchema } from '../../core/turns/model.js';
import type { TurnError } from '../../core/turns/events.js';
import type { StopReason, TurnState } from '../../core/turns/stop-reasons.js';
import type { Refusal } from '../../core/turns/turn.js';
import type { Usage } from '../../core/turns/usage.js';

/** What wakes a thread. */
export type DeliveryKind =
  'message' | 'reply' | 'approval' | 'schedule' | 'sleep_time' | 'compact' | 'reset' | 'message_edit';

/** How one turn is to run, as its sender asked. */
export interface TurnOptions {
  /** Model calls at most. Default 50. */
  readonly maxSteps?: number;
  /** Whether fragments of answers go to the event log. */
  readonly streamTokens?: boolean;
  /** Somebody waits for this turn's end: another agent's tool call, or a group's talk. */
  readonly asked?: boolean;
  /** The group that the agent leads in this turn: it has a tool to ask its agents by. */
  readonly supervises?: string;
  /** The refinement that the turn belongs to, which bounds what it may spend. */
  readonly refinement?: string;
  /** What the turn does to its thread instead of thinking. */
  readonly chore?: Chore;
  /** Another model for this turn alone. Handle. */
  readonly overrideModel?: string;
  /** The form of the model's answers in this turn alone, as its provider's API has it. */
  readonly responseFormat?: Readonly<Record<string, unknown>>;
  /** Other base instructions for this turn alone. */
  readonly overrideSystem?: string;
  /** Tools that the sender runs itself: their calls wait for it. */
  readonly clientTools?: readonly ToolSchema[];
  /** Skills of the sender's, which the agent is told of. */
  readonly clientSkills?: readonly ClientSkill[];
  /** Where to report how the turn ended. */
  readonly callbackUrl?: string;
  /** The sender does not wait: said back in the run, no other meaning. */
  readonly background?: boolean;
  /** Fields of the request that only the REST API reads again (how to render this run's messages). */
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
  /** Steps begun so far. */
  readonly steps: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  /** From its beginning in the queue to the first fragment of its first answer, in ms. */
  readonly firstTokenMs: number | null;
}

export type StepState = 'pending' | 'answered' | 'failed' | 'cancelled';

/** Why an attempt of a step failed, and what the world said of another one. */
export interface AttemptError extends TurnError {
  readonly attempt: number;
  readonly retryable: boolean;
  /** How long the other side asked to be left alone, in ms. */
  readonly retryAfterMs?: number | undefined;
}

/** One model call and the tools it asked for. */
export interface Step {
  readonly id: string;
  readonly turnId: string;
  readonly threadId: string;
  readonly agentId: string;
  /** 0-based. */
  readonly index: number;
  readonly state: StepState;
  readonly model: string;
  /** Which attempt answered, or is under way; 1-based. */
  readonly attempt: number;
  readonly answerMessageId: string | null;
  readonly finishReason: FinishReason | null;
  readonly usage: Usage;
  /** Tokens of the window the call was made for. */
  readonly contextWindow: number;
  /** Of the last attempt that failed. */
  readonly error: AttemptError | null;
  readonly createdAt: Date;
  readonly answeredAt: Date | null;
}

/**
 * `planned` when the model asked, `started` before the tool is tried, `awaiting` while a person or the client has to
 * decide, `held` while one beside it waits so, `done` with its result.
 */
export type EffectState = 'planned' | 'started' | 'awaiting' | 'held' | 'done';

/** What a tool did to the world, with an id made before it was tried. */
export interface Effect {
  readonly id: string;
  readonly turnId: string;
  readonly stepId: string;
  /** Place among the step's tool calls, 0-based. */
  readonly index: number;
  readonly call: ModelToolCall;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly requestHeartbeat: boolean;
  readonly state: EffectState;
  readonly status: 'success' | 'error' | null;
  readonly refusal: Refusal | null;
  readonly resultMessageId: string;
}
