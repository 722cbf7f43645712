import { loopStyle } from '../../core/agents/agents.js';
import type { TurnEvent } from '../../core/turns/events.js';
import { derivedId } from '../../core/ids.js';
import type { Message } from '../../core/threads/messages.js';
import type { ModelDescription } from '../../core/models/model.js';
import { heartbeatText } from '../../core/threads/prompts.js';
import type { BudgetGrant } from '../../core/refinement/refinement.js';
import type { PastCall } from '../../core/agents/tool-rules.js';
import { windowOf } from '../../core/threads/context-window.js';
import { inTransaction, type Tx, withoutDisk } from '../../schema/db/database.js';
import type { Epoch } from '../../schema/threads/epochs.js';
import type { Fence } from '../../schema/turns/fences.js';
import { lastStatements } from '../../schema/db/last-statements.js';
import type { LoopAgent } from '../../schema/threads/loop-agent.js';
import type { Step } from '../../schema/turns/records.js';
import { openStep, type StepAttempt } from '../../schema/turns/step-writes.js';
import { reserveTokens } from '../../schema/refinement/token-budgets.js';
import { ensureEpoch, type EpochInput } from './context-epoch.js';
import type { ActivityDeps } from '../deps.js';
import { findStep, type FoundStep } from './find-step.js';
import { extended, type GrowingQueue, steered } from './growing-queue.js';
import { answerId, attemptOf, messageOf, type StepInput, stepIdOf } from './step-input.js';
import { type FittedRequest, fitRequest } from './fit-request.js';

/** The state of a step when it begins. */
export type PreparedStep =
  /** An earlier attempt stored an answer, which is not paid for again. */
  | { readonly kind: 'answered'; readonly agent: LoopAgent; readonly step: Step }
  | { readonly kind: 'pressure' }
  | { readonly kind: 'prefix_too_large' }
  /** The turn's token budget does not allow another step. */
  | { readonly kind: 'over_budget' }
  | ReadyStep;

/** A step whose request can be sent. */
export interface ReadyStep {
  readonly kind: 'ready';
  readonly agent: LoopAgent;
  readonly step: StepAttempt;
  readonly epoch: Epoch;
  readonly fitted: FittedRequest;
  /** The turn's tool calls before this step. */
  readonly calls: readonly PastCall[];
  readonly streamTokens: boolean;
}

type PrepareDeps = Pick<ActivityDeps, 'models' | 'extensions'>;

/**
 * All work before the model call, in one transaction with the thread locked: the fence, messages that steer the turn,
 * the heartbeat that gives the reason for this step, notices of others' memory changes, the context. An attempt of
 * the step is opened only if its request will be sent. Throws Turn.Fenced and WorldFailure.
 */
export async function prepareStep(
  { db, ...deps }: PrepareDeps & Pick<ActivityDeps, 'db'>,
  fence: Fence,
  input: StepInput,
): Promise<PreparedStep> {
  return inTransaction<PreparedStep>(db, async (tx) => {
    // If a crash loses the step, it is opened again. The commit of its answer waits for the disk.
    const [, found] = await Promise.all([withoutDisk(tx), findStep(tx, fence, input)]);
    const { agent, earlier } = found;
    if (earlier?.state === 'answered') return { kind: 'answered', agent, step: earlier };
    // Throws before any write if the model isn't configured.
    const model = deps.models.resolve(agent.model).description;
    const { queue, epoch } = await growQueue(tx, { found, input, extensions: deps.extensions });
    const fitted = fit({ found, queue, epoch, input, model });
    const step = { found, input, queue, epoch };
    const prepared =
      fitted.kind === 'fits' ? await ready(tx, { ...step, fitted }) : ({ kind: fitted.kind } as const);
    const opened = prepared.kind === 'ready' ? open(tx, step, prepared) : undefined;
    return lastStatements(Promise.all([opened, ...queue.written]).then(() => prepared));
  });
}

interface GrownStep {
  readonly found: FoundStep;
  readonly input: StepInput;
  readonly queue: GrowingQueue;
  readonly epoch: Epoch;
}

/** The step with its request, if the turn's budget allows its cost. */
async function ready(
  tx: Tx,
  { found, input, epoch, fitted }: GrownStep & { readonly fitted: FittedRequest },
): Promise<ReadyStep | Extract<PreparedStep, { kind: 'over_budget' }>> {
  const { agent, earlier, calls } = found;
  const step = attemptOf(input, earlier);
  const { refinement, streamTokens = false } = found.options;
  const bounded =
    refinement === undefined ? undefined : await reserve(tx, refinement, { agent, step, fitted });
  if (bounded?.kind === 'exhausted') return { kind: 'over_budget' };
  return { kind: 'ready', agent, step, epoch, calls, streamTokens, fitted: limited(fitted, bounded) };
}

function open(
  tx: Tx,
  { found, input, queue }: GrownStep,
  { step, agent, streamTokens, fitted }: ReadyStep,
): Promise<void> {
  const events = toldOf(input, { earlier: found.earlier, streamTokens });
  return openStep(tx, { step, thread: queue.thread, model: agent.model, events, sent: fitted });
}

/** The queue with all that this step adds: the reason for the step, messages that steer the turn, notices. */
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
    // A count from another epoch says nothing about this one's prefix.
    measured: epoch.id === memory.epoch?.id ? measured : { scale: measured.scale },
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

/** The request with the answer's length limited to what was reserved. */
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
  // A native loop goes on from its tools' results. It only needs a message about its mistakes.
  if (reason === null || (loopStyle(agent.agentType) === 'native' && reason.kind === 'tool_called'))
    return [];
  return [
    messageOf(input, derivedId('message', turnId, index, 'heartbeat'), {
      kind: 'heartbeat',
      reason: heartbeatText(reason),
    }),
  ];
}

/** The turn's log events for a new attempt. */
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
