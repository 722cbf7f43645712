import { loopStyle } from '../core/agents.js';
import type { TurnEvent } from '../core/events.js';
import { derivedId } from '../core/ids.js';
import type { Message } from '../core/messages.js';
import type { ModelDescription } from '../core/model.js';
import { heartbeatText } from '../core/prompts.js';
import type { BudgetGrant } from '../core/refinement.js';
import type { StopReason } from '../core/stop-reasons.js';
import type { PastCall } from '../core/tool-rules.js';
import { windowOf } from '../core/window.js';
import { inTransactionWithLast, type Tx, type WithLast } from '../schema/database.js';
import type { Epoch } from '../schema/epochs.js';
import type { Fence } from '../schema/fences.js';
import type { LoopAgent } from '../schema/loop-agent.js';
import type { Effect, Step } from '../schema/records.js';
import { openStep, type StepAttempt } from '../schema/step-writes.js';
import { stepEffects } from '../schema/steps.js';
import { reserveTokens } from '../schema/token-budgets.js';
import { ensureEpoch, type EpochInput } from './context-epoch.js';
import type { ActivityDeps } from './deps.js';
import { findStep, type FoundStep } from './find-step.js';
import { extended, type GrowingQueue, steered } from './growing-queue.js';
import { answerId, attemptOf, messageOf, type StepInput, stepIdOf } from './step-input.js';
import { type FittedRequest, fitRequest } from './fit-request.js';

/** What a step finds when it begins. */
export type PreparedStep =
  /** An earlier attempt stored an answer: it is not paid for again. */
  | {
      readonly kind: 'answered';
      readonly agent: LoopAgent;
      readonly step: Step;
      readonly effects: readonly Effect[];
      readonly calls: readonly PastCall[];
    }
  /** An earlier attempt is in the hand of a worker that lives: its key. */
  | { readonly kind: 'in_hand'; readonly step: Step; readonly worker: number }
  /** An earlier attempt was the last of the turn, and closed it. */
  | { readonly kind: 'closed'; readonly stopReason: StopReason; readonly more: boolean }
  | { readonly kind: 'pressure' }
  | { readonly kind: 'prefix_too_large' }
  /** What the turn may spend does not suffice for another step. */
  | { readonly kind: 'over_budget' }
  | {
      readonly kind: 'ready';
      readonly agent: LoopAgent;
      readonly step: StepAttempt;
      readonly epoch: Epoch;
      readonly fitted: FittedRequest;
      /** The turn's tool calls before this step. */
      readonly calls: readonly PastCall[];
      readonly streamTokens: boolean;
    };

/**
 * Everything before the model call, in one transaction with the thread locked: the fence, messages that steer the
 * turn, the heartbeat that says why there is this step, notices of memory that others changed, the context.
 * Only what is about to be sent to the model opens an attempt of the step. Throws Turn.Fenced and WorldFailure.
 */
export async function prepareStep(
  deps: PrepareDeps & Pick<ActivityDeps, 'db'>,
  fence: Fence,
  input: StepInput,
): Promise<PreparedStep> {
  return inTransactionWithLast(deps.db, (tx) => prepareIn(tx, deps, { fence, input }));
}

type PrepareDeps = Pick<ActivityDeps, 'models' | 'extensions' | 'presence'>;

/** As `prepareStep`, in a transaction of the caller, which may have locked the thread before. */
export async function prepareIn(
  tx: Tx,
  { models, extensions, presence }: PrepareDeps,
  { fence, input }: { readonly fence: Fence; readonly input: StepInput },
): Promise<WithLast<PreparedStep>> {
  const found = await findStep(tx, fence, input);
  if (found.kind === 'closed') return after(nothing, found);
  const { agent, earlier, calls } = found;
  if (earlier?.state === 'answered') {
    return after(nothing, {
      ...{ kind: 'answered', agent, step: earlier, calls },
      effects: await stepEffects(tx, earlier.id),
    });
  }
  if (earlier !== undefined && found.worker !== null) {
    return after(nothing, { kind: 'in_hand', step: earlier, worker: found.worker });
  }
  // Fails before anything is written where the model isn't configured.
  const model = models.resolve(agent.model).description;
  const { queue, epoch } = await growQueue(tx, { found, input, extensions });
  const fitted = fit({ found, queue, epoch, input, model });
  const written = Promise.all(queue.written);
  // Told where it is waited for, which may be a while after it has failed: unheard, it would end the worker.
  written.catch(() => undefined);
  if (fitted.kind !== 'fits') return after(written, { kind: fitted.kind });
  const step = attemptOf(input, earlier);
  const { refinement, streamTokens = false } = found.options;
  const bounded =
    refinement === undefined ? undefined : await reserve(tx, refinement, { agent, step, fitted });
  if (bounded?.kind === 'exhausted') return after(written, { kind: 'over_budget' });
  const events = toldOf(input, { earlier, streamTokens });
  const opening = { step, thread: queue.thread, model: agent.model, worker: presence.key(), events };
  const opened = openStep(tx, opening);
  return after(Promise.all([written, opened]), {
    ...{ kind: 'ready', agent, step, epoch, calls, streamTokens },
    fitted: limited(fitted, bounded),
  });
}

const nothing = Promise.resolve();

function after(written: Promise<unknown>, prepared: PreparedStep): WithLast<PreparedStep> {
  return { last: written.then(() => prepared) };
}

/** The queue with all that this step adds to it: why there is the step, what steers the turn, notices. */
async function growQueue(
  tx: Tx,
  { found, input, extensions }: Pick<EpochInput, 'input' | 'extensions'> & { readonly found: FoundStep },
): Promise<{ readonly queue: GrowingQueue; readonly epoch: Epoch }> {
  const { thread, messages, agent, steers, memory } = found;
  const told = extended(tx, { thread, messages, written: [] }, reasonOf(agent, input));
  const queue = await steered(tx, told, { turnId: input.turnId, steers });
  return ensureEpoch(tx, { queue, agent, input, memory, extensions });
}

function fit(at: {
  readonly found: FoundStep;
  readonly queue: GrowingQueue;
  readonly epoch: Epoch;
  readonly input: StepInput;
  readonly model: ModelDescription;
}): ReturnType<typeof fitRequest> {
  const { queue, epoch, input, model } = at;
  const { agent, memory, measured, calls } = at.found;
  const known = { described: model.contextWindow, limit: agent.contextWindow, model: agent.model };
  return fitRequest({
    ...{ agent, epoch, messages: queue.messages, calls },
    // What was measured in another epoch says nothing of this one's prefix.
    measured: epoch.id === memory.epoch?.id ? measured : undefined,
    window: windowOf({ ...known, learned: queue.thread.learned }),
    statedWindow: windowOf({ ...known, learned: null }),
    mustFit: input.mustFit,
  });
}

function reserve(
  tx: Tx,
  refinementId: string,
  { agent, step, fitted }: { agent: LoopAgent; step: StepAttempt; fitted: FittedRequest },
): Promise<BudgetGrant> {
  return reserveTokens(tx, {
    refinementId,
    stepId: step.id,
    attempt: step.attempt,
    promptTokens: fitted.tokens,
    maxOutput: agent.modelSettings.maxOutputTokens,
  });
}

/** The request with an answer no longer than was reserved for it. */
function limited(
  fitted: FittedRequest,
  grant: Extract<BudgetGrant, { kind: 'granted' }> | undefined,
): FittedRequest {
  if (grant === undefined) return fitted;
  const { request } = fitted;
  const settings = { ...request.settings, maxOutputTokens: grant.maxOutput };
  return { ...fitted, request: { ...request, settings } };
}

function reasonOf(agent: LoopAgent, input: StepInput): readonly Message[] {
  const { reason, index, turnId } = input;
  // A native loop reads its tools' results and goes on: only what it did wrong needs words.
  if (reason === null || (loopStyle(agent.agentType) === 'native' && reason.kind === 'tool_called'))
    return [];
  return [
    messageOf(input, derivedId('message', turnId, index, 'heartbeat'), {
      kind: 'heartbeat',
      reason: heartbeatText(reason),
    }),
  ];
}

/** What the turn's log says of a new attempt. */
function toldOf(
  { turnId, index }: StepInput,
  { earlier, streamTokens }: { readonly earlier: Step | undefined; readonly streamTokens: boolean },
): readonly TurnEvent[] {
  const stepId = stepIdOf({ turnId, index });
  if (earlier === undefined) return [{ kind: 'step_started', stepId, step: index }];
  if (!streamTokens) return [];
  const { attempt } = earlier;
  return [{ kind: 'attempt_abandoned', stepId, attempt, messageId: answerId(turnId, index, attempt) }];
}
