import type { TurnError } from '../core/events.js';
import { WorldFailure } from '../core/failures.js';
import type { MessageBody } from '../core/messages.js';
import type { FinishReason, ModelAnswer } from '../core/model.js';
import { builtinTools } from '../core/tools.js';
import type { BuiltinTool } from '../core/tools/builtin-tool.js';
import { inTransaction } from '../schema/database.js';
import { type LoopAgent, loadLoopAgent } from '../schema/loop-agent.js';
import { getMessages } from '../schema/messages.js';
import type { Effect, Refusal } from '../schema/records.js';
import {
  type Fence,
  openStep,
  recordFailure,
  storeAnswer,
  SupersededAttemptError,
} from '../schema/step-writes.js';
import { lockThread } from '../schema/threads.js';
import { releaseTokens } from '../schema/token-budgets.js';
import type { ActivityDeps } from './deps.js';
import { fenced } from './failures.js';
import { currentExecution, keepingAlive } from './keep-alive.js';
import { learnFromAnswer, learnFromRefusal } from './learned-window.js';
import { createModelStream } from './model-stream.js';
import { type PreparedStep, prepareStep } from './prepare-step.js';
import { readAnswer } from './read-answer.js';
import { answerId, type StepInput, stepIdOf } from './step-input.js';

/** One tool call of a step, as the workflow sees it: a name and verdicts. */
export interface CallVerdict {
  readonly effectId: string;
  /** `unknown_tool` where the agent has no such tool: what the model wrote there is content. */
  readonly name: string;
  readonly requestedHeartbeat: boolean;
  /** `quickly`: rows only. `patiently`: it waits for the world. `asking`: it waits for other agents. */
  readonly runs: 'quickly' | 'patiently' | 'asking';
  /** Set where it was not run; its result is stored already. */
  readonly refused?: Refusal;
}

/** A step whose answer is stored. */
export interface AnsweredStep {
  readonly kind: 'answered';
  readonly calls: readonly CallVerdict[];
  readonly hasText: boolean;
  readonly finishReason: FinishReason;
}

export type StepVerdict =
  | AnsweredStep
  /** The context is full, or the provider said so: evict, then call again. */
  | { readonly kind: 'pressure'; readonly overflowed: boolean }
  /** Instructions and memory alone fill the window, or the turn's budget is used up. */
  | {
      readonly kind: 'refused';
      readonly stopReason: 'context_window_overflow_in_system_prompt' | 'max_tokens_exceeded';
    };

type ReadyStep = Extract<PreparedStep, { kind: 'ready' }>;

/** Model calls. */
export function modelActivities(deps: ActivityDeps) {
  return {
    /**
     * One model call: compiles the context from rows, streams the answer to the turn's log, stores it with its tool
     * calls in one transaction. Where an answer is stored already it is returned, and no model is called.
     */
    async callModel(input: StepInput): Promise<StepVerdict> {
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      // Alive from the start: waiting for the thread's lock must not look like a dead worker.
      return keepingAlive(async (signal) => {
        const prepared = await preparedOrRecorded(deps, fence, input);
        signal.throwIfAborted();
        switch (prepared.kind) {
          case 'pressure':
            return { kind: 'pressure', overflowed: false };
          case 'prefix_too_large':
            return { kind: 'refused', stopReason: 'context_window_overflow_in_system_prompt' };
          case 'over_budget':
            return { kind: 'refused', stopReason: 'max_tokens_exceeded' };
          case 'answered':
            return storedVerdict(deps, prepared);
          case 'ready':
            return answerStep(deps, { fence, input, prepared, signal });
        }
      });
    },
  };
}

async function preparedOrRecorded(deps: ActivityDeps, fence: Fence, input: StepInput): Promise<PreparedStep> {
  try {
    return await prepareStep(deps, fence, input);
  } catch (error) {
    // A model that isn't configured fails before there is a step to write it into.
    if (error instanceof WorldFailure) await recordUnopened(deps, fence, input, error);
    throw error;
  }
}

async function recordUnopened(
  { db }: ActivityDeps,
  fence: Fence,
  input: StepInput,
  error: WorldFailure,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const thread = await lockThread(tx, input.threadId);
    const agent = await loadLoopAgent(tx, input);
    if (thread === undefined || agent === undefined) return;
    const stepId = stepIdOf(input);
    await openStep(tx, { stepId, index: input.index, thread, turnId: input.turnId, model: agent.model });
    await recordFailure(tx, fence, {
      stepId,
      attempt: 1,
      error: toTurnError(error),
      final: !error.retryable,
    });
  });
}

interface Attempt {
  readonly fence: Fence;
  readonly input: StepInput;
  readonly prepared: ReadyStep;
  readonly signal: AbortSignal;
}

async function answerStep(deps: ActivityDeps, attempt: Attempt): Promise<StepVerdict> {
  const { input, prepared, fence } = attempt;
  try {
    const answer = await streamAnswer(deps, attempt);
    return await keepAnswer(deps, attempt, answer);
  } catch (error) {
    if (!(error instanceof WorldFailure)) throw error;
    if (isUnpaid(error)) await releaseTokens(deps.db, prepared.step.id);
    if (error.type === 'Model.ContextOverflow') {
      const { agent, fitted } = prepared;
      const refusal = { threadId: input.threadId, model: agent.model, tokens: fitted.tokens };
      await learnFromRefusal(deps.db, fence, refusal);
      return { kind: 'pressure', overflowed: true };
    }
    await recordFailure(deps.db, fence, {
      stepId: prepared.step.id,
      attempt: prepared.step.attempt,
      error: toTurnError(error),
      final: !error.retryable,
    });
    throw error;
  }
}

/** Whether the provider turned the call down: a refusal costs nothing. */
function isUnpaid({ status }: WorldFailure): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

async function streamAnswer(deps: ActivityDeps, attempt: Attempt): Promise<ModelAnswer> {
  const { fence, prepared, signal } = attempt;
  const { agent, step, fitted } = prepared;
  const lost = new AbortController();
  const place = {
    stepId: step.id,
    attempt: step.attempt,
    messageId: answerId(step.turnId, step.index, step.attempt),
  };
  const stream = createModelStream(deps.db, fence, place, () => {
    lost.abort(fenced());
  });
  const answer = await deps.models.resolve(agent.model).complete(fitted.request, {
    signal: AbortSignal.any([signal, lost.signal]),
    idempotencyKey: `${step.id}-${step.attempt}`,
    ...(prepared.streamTokens
      ? {
          onDelta: (delta) => {
            stream.push(delta);
          },
        }
      : {}),
  });
  await stream.finish();
  return answer;
}

async function keepAnswer(deps: ActivityDeps, attempt: Attempt, answer: ModelAnswer): Promise<StepVerdict> {
  const { fence, input, prepared } = attempt;
  const { agent, step, fitted, epoch, calls, streamTokens } = prepared;
  const messageId = answerId(input.turnId, input.index, step.attempt);
  const read = readAnswer(answer, { input, messageId, agent, allowed: fitted.allowed, calls });
  const isStored = await inTransaction(deps.db, async (tx) => {
    const stored = await storeAnswer(tx, fence, input.threadId, {
      stepId: step.id,
      attempt: step.attempt,
      ...read,
      finishReason: answer.finishReason,
      usage: answer.usage,
      contextWindow: fitted.window,
      epochId: epoch.id,
      streamed: streamTokens,
    });
    const taken = { threadId: input.threadId, model: agent.model, tokens: answer.usage.promptTokens };
    if (stored && taken.tokens > fitted.window) await learnFromAnswer(tx, taken);
    return stored;
  }).catch((error: unknown) => {
    if (error instanceof SupersededAttemptError) return false;
    throw error;
  });
  if (!isStored) throw fenced();
  return toVerdict(agent, read.effects, read.message.body, answer.finishReason);
}

async function storedVerdict(
  { db }: ActivityDeps,
  { agent, step, effects }: Extract<PreparedStep, { kind: 'answered' }>,
): Promise<AnsweredStep> {
  const [message] = await getMessages(db, step.answerMessageId === null ? [] : [step.answerMessageId]);
  return toVerdict(agent, effects, message?.body, step.finishReason ?? 'stop');
}

function toVerdict(
  agent: LoopAgent,
  effects: readonly Effect[],
  body: MessageBody | undefined,
  finishReason: FinishReason,
): AnsweredStep {
  return {
    kind: 'answered',
    calls: effects.map((effect) => toCallVerdict(effect, agent)),
    hasText: body?.kind === 'assistant' && body.text !== '',
    finishReason,
  };
}

function toCallVerdict(effect: Effect, agent: LoopAgent): CallVerdict {
  const { name } = effect.call;
  const builtin = builtinTools.find((tool) => tool.name === name);
  return {
    effectId: effect.id,
    name: agent.tools.some((tool) => tool.name === name) ? name : 'unknown_tool',
    requestedHeartbeat: effect.requestHeartbeat,
    runs: runsOf(builtin),
    ...(effect.refusal === null ? {} : { refused: effect.refusal }),
  };
}

function runsOf(builtin: BuiltinTool | undefined): CallVerdict['runs'] {
  if (builtin?.effect === 'asking') return 'asking';
  return builtin === undefined || builtin.effect === 'searching' ? 'patiently' : 'quickly';
}

/** What the step's row keeps of a failure: our sentence, and what the provider said. */
function toTurnError({ type, message, detail }: WorldFailure): TurnError {
  return { type, message: detail === undefined ? message : `${message} (${detail})` };
}
