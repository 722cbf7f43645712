import { loopStyle, type LoopStyle } from '../../core/agents/agents.js';
import type { ChoreKind } from '../../core/turns/chores.js';
import type { StopReason } from '../../core/turns/stop-reasons.js';
import type { ToolRule } from '../../core/agents/tool-rules.js';
import { type BegunTurn, claimDelivery, type TakenDelivery } from '../../schema/turns/claims.js';
import { inTransaction } from '../../schema/db/database.js';
import { hasWaiting } from '../../schema/turns/deliveries.js';
import { callsAnsweredBy } from '../../schema/turns/edges.js';
import { groupsAwaiting } from '../../schema/groups/talk-waking.js';
import { settleTurn } from '../../schema/turns/settling.js';
import { pendingStepError } from '../../schema/turns/steps.js';
import type { ActivityDeps } from '../deps.js';
import { currentExecution } from '../keep-alive.js';

/** What a turn's execution needs to know. Only names and numbers, because it is written to the workflow's history. */
export interface Claim {
  readonly turnId: string;
  readonly agentId: string;
  readonly style: LoopStyle;
  /** The model's name without its provider, for the Temporal UI. */
  readonly model: string;
  readonly maxSteps: number;
  /** Only what `decideNext` reads: without arguments, outputs and templates. */
  readonly rules: readonly ToolRule[];
  readonly modelTimeoutMs: number;
  readonly toolTimeoutMs: number;
  /** Whether another agent's tool call, or a group's talk, waits for the turn's end. */
  readonly asked?: true;
  /** Whether it carries decisions about waiting calls. */
  readonly approves?: true;
  /** The chore that it does instead of calling the model. */
  readonly chore?: ChoreKind;
  /** Set where earlier executions have answered steps of the turn. */
  readonly begun?: BegunTurn;
}

export interface ClaimInput {
  readonly threadId: string;
  /** The number of this execution's claim: a repeated call returns the same claim. */
  readonly ordinal: number;
}

export interface SettleInput {
  readonly threadId: string;
  readonly turnId: string;
  readonly stopReason: StopReason;
  readonly failure?: string;
}

/** Claims deliveries and ends turns. */
export function turnActivities({ db, waker, workerKey, modelTimeoutMs, toolTimeoutMs }: ActivityDeps) {
  return {
    /** The thread's oldest unfinished delivery, or null where nothing waits. */
    async claimTurn({ threadId, ordinal }: ClaimInput): Promise<Claim | null> {
      const claim = { threadId, ordinal, executionId: currentExecution(), workerKey };
      const taken = await claimDelivery(db, claim);
      return taken === undefined ? null : toClaim(taken, { modelTimeoutMs, toolTimeoutMs });
    },

    /**
     * Notifies those who wait for this ended turn: threads whose tool calls it was the last to answer, and a talk.
     */
    async tellAskers({ turnId }: { readonly turnId: string }): Promise<void> {
      for (const call of await callsAnsweredBy(db, turnId)) await waker.reply(call);
      for (const groupId of await groupsAwaiting(db, turnId)) await waker.talk(groupId);
    },

    /** Ends the turn. `more`: whether the thread has another delivery. */
    async settleTurn({ threadId, turnId, stopReason, failure }: SettleInput): Promise<{ more: boolean }> {
      const error =
        failure === undefined ? undefined : ((await pendingStepError(db, turnId)) ?? plainError(failure));
      const settlement = { turnId, stopReason, error, executionId: currentExecution() };
      return inTransaction(db, async (tx) => {
        // If the turn was ended here, this reads under its thread's lock, so a later delivery's bell has not been
        // handled yet.
        const [, more] = await Promise.all([settleTurn(tx, settlement), hasWaiting(tx, threadId)]);
        return { more };
      });
    },
  };
}

/** A claimed delivery, for the workflow. */
function toClaim(
  taken: TakenDelivery,
  { modelTimeoutMs, toolTimeoutMs }: Pick<ActivityDeps, 'modelTimeoutMs' | 'toolTimeoutMs'>,
): Claim {
  return {
    turnId: taken.turnId,
    agentId: taken.agentId,
    style: loopStyle(taken.agentType),
    model: taken.model.slice(taken.model.lastIndexOf('/') + 1),
    maxSteps: taken.maxSteps,
    rules: taken.toolRules.map(withoutTexts),
    modelTimeoutMs,
    toolTimeoutMs,
    ...(taken.asked ? { asked: true as const } : {}),
    ...(taken.approves ? { approves: true as const } : {}),
    ...(taken.chore === null ? {} : { chore: taken.chore }),
    ...(taken.begun === null ? {} : { begun: taken.begun }),
  };
}

function plainError(failure: string): { type: string; message: string } {
  return { type: failure, message: sentenceOf(failure) };
}

function sentenceOf(failure: string): string {
  switch (failure) {
    case 'Model.Timeout':
      return 'The model did not answer within the time for a model call. Try again, or raise MODEL_TIMEOUT_MS.';
    case 'Extension.Failed':
      return 'The agent’s extension failed when it was to decide whether the turn goes on. The worker’s log says how.';
    case 'Extension.NotLoaded':
      return 'The agent’s extension is not loaded by the worker. Name its module in PERDURE_EXTENSIONS of every worker.';
    default:
      return 'The turn failed for a reason that the worker has logged. Send the message again.';
  }
}

/** The rule with names and numbers only. Copied field by field, so that new fields of a rule stay out. */
function withoutTexts(rule: ToolRule): ToolRule {
  const { kind, tool } = rule;
  switch (kind) {
    case 'constrain_child_tools':
    case 'parent_last_tool':
      return { kind, tool, children: rule.children };
    case 'conditional': {
      const { defaultChild, requireMapping } = rule;
      return { kind, tool, childByOutput: {}, defaultChild, requireMapping };
    }
    case 'max_count_per_step':
      return { kind, tool, limit: rule.limit };
    case 'run_first':
    case 'exit_loop':
    case 'continue_loop':
    case 'required_before_exit':
    case 'requires_approval':
      return { kind, tool };
  }
}
