import { WorldFailure } from '../core/failures.js';
import type { ModelAnswer } from '../core/model.js';
import { speaksInText } from '../core/tools.js';
import { inTransaction } from '../schema/database.js';
import { type Fence, holdFence } from '../schema/fences.js';
import { loadLoopAgent } from '../schema/loop-agent.js';
import { getMessages } from '../schema/messages.js';
import { openStep, recordFailure, type StepAttempt } from '../schema/step-writes.js';
import { getStep } from '../schema/steps.js';
import { lockThread } from '../schema/threads.js';
import { releaseTokens } from '../schema/token-budgets.js';
import type { Work } from '../schema/work-in-hand.js';
import { throwErrorOf, toAttemptError } from './attempt-error.js';
import type { ActivityDeps } from './deps.js';
import { chosenExtension } from './extensions.js';
import { fenced } from './failures.js';
import { type Attempt, keepAnswer } from './keep-answer.js';
import { takeInHand, waitForOther } from './in-hand.js';
import type { Signals } from './keep-alive.js';
import { learnFromRefusal } from './learned-window.js';
import { createModelStream } from './model-stream.js';
import { type PreparedStep, prepareStep } from './prepare-step.js';
import { answerId, attemptOf, type StepInput, stepIdOf } from './step-input.js';
import { type DecidedBy, stepAfter } from './step-decision.js';
import { type AnsweredStep, type StepVerdict, toAnsweredStep } from './step-verdict.js';
import type { ToolImplementation } from './tools/outcome.js';

/** What model calls need: the tools too, for those that change rows alone run with the answer that asked for them. */
export interface ModelDeps extends ActivityDeps {
  readonly implementations: ReadonlyMap<string, ToolImplementation>;
}

/** Where a step is taken. */
export interface StepPlace extends Signals {
  readonly fence: Fence;
  readonly input: StepInput;
  /** What the step found, where it has begun already. */
  readonly prepared?: PreparedStep | undefined;
}

/** What a step came to, and the one that follows at once where nothing of it is left to the workflow. */
interface TakenStep {
  readonly verdict: StepVerdict;
  readonly next?: StepInput | undefined;
}

/** Takes a step: one model call, unless its answer is stored already. Throws Turn.Fenced and WorldFailure. */
export async function takeStep(deps: ModelDeps, place: StepPlace): Promise<TakenStep> {
  const { fence, input, signal, forgotten } = place;
  const prepared = await preparedAlone(deps, place);
  switch (prepared.kind) {
    case 'pressure':
      return { verdict: { kind: 'pressure', overflowed: false } };
    case 'prefix_too_large':
      return { verdict: { kind: 'refused', stopReason: 'context_window_overflow_in_system_prompt' } };
    case 'over_budget':
      return { verdict: { kind: 'refused', stopReason: 'max_tokens_exceeded' } };
    case 'closed':
      return { verdict: { ...prepared, calls: [] } };
    case 'answered':
      return withNext(prepared, input, await readVerdict(deps, prepared));
    case 'ready':
      return withNext(prepared, input, await answerStep(deps, { fence, input, prepared, signal, forgotten }));
  }
}

function withNext(
  { agent, calls }: Pick<DecidedBy, 'agent' | 'calls'>,
  input: StepInput,
  verdict: StepVerdict,
): TakenStep {
  if (verdict.kind !== 'answered') return { verdict };
  return { verdict, next: stepAfter({ input, agent, calls, answered: verdict }) };
}

/** What the step finds, once no other attempt of it is in the hand of a worker that lives. */
async function preparedAlone(
  deps: ModelDeps,
  { fence, input, prepared: begun, ...signals }: StepPlace,
): Promise<Exclude<PreparedStep, { kind: 'in_hand' }>> {
  let prepared = begun ?? (await preparedOrRecorded(deps, fence, input));
  while (prepared.kind === 'in_hand') {
    const { step, worker } = prepared;
    await waitForOther(deps, { fence, work: toWork(step), worker, ...signals });
    await throwErrorOf(deps.db, step);
    prepared = await preparedOrRecorded(deps, fence, input);
  }
  return prepared;
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
    const [thread, options, agent, earlier] = await Promise.all([
      lockThread(tx, input.threadId),
      holdFence(tx, fence),
      loadLoopAgent(tx, input),
      getStep(tx, stepIdOf(input)),
    ]);
    if (thread === undefined || options === undefined || agent === undefined) return;
    const step = attemptOf(input, earlier);
    await openStep(tx, { step, thread, model: agent.model, worker: null, events: [] });
    await recordFailure(tx, fence, {
      stepId: step.id,
      error: toAttemptError(error, step.attempt),
    });
  });
}

interface LiveAttempt extends Attempt, Signals {}

/** Has an attempt in hand until it came to something: others wait for its answer, and begin theirs where it has none. */
async function answerStep(deps: ModelDeps, attempt: LiveAttempt): Promise<StepVerdict> {
  const { fence, forgotten, prepared } = attempt;
  const lost = new AbortController();
  const inHand = takeInHand(deps, { fence, work: toWork(prepared.step), forgotten, lost });
  try {
    const verdict = await answerOrFail(deps, attempt, lost);
    if (verdict.kind === 'pressure') await inHand.letGo();
    return verdict;
  } catch (error) {
    await inHand.letGo();
    throw error;
  } finally {
    inHand.end();
  }
}

function toWork({ id, attempt }: StepAttempt): Work {
  return { kind: 'attempt', id, attempt };
}

async function answerOrFail(
  deps: ModelDeps,
  attempt: LiveAttempt,
  lost: AbortController,
): Promise<StepVerdict> {
  const { input, prepared, fence } = attempt;
  try {
    // Here alone: an answer that is stored is given however late, so that its turn goes on from it.
    attempt.signal.throwIfAborted();
    const answer = await streamAnswer(deps, attempt, lost);
    return await keepAnswer(deps, attempt, answer);
  } catch (error) {
    if (!(error instanceof WorldFailure)) throw error;
    if (isUnpaid(error))
      await releaseTokens(deps.db, fence, { stepId: prepared.step.id, attempt: prepared.step.attempt });
    if (error.type === 'Model.ContextOverflow') {
      const { agent, fitted } = prepared;
      const refusal = { threadId: input.threadId, model: agent.model, tokens: fitted.tokens };
      await learnFromRefusal(deps.db, fence, refusal);
      return { kind: 'pressure', overflowed: true };
    }
    await recordFailure(deps.db, fence, {
      stepId: prepared.step.id,
      error: toAttemptError(error, prepared.step.attempt),
    });
    throw error;
  }
}

/** Whether the provider turned the call down: a refusal costs nothing. */
function isUnpaid({ status }: WorldFailure): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

async function streamAnswer(
  deps: ActivityDeps,
  attempt: LiveAttempt,
  lost: AbortController,
): Promise<ModelAnswer> {
  const { fence, prepared, signal } = attempt;
  const { agent, step, fitted } = prepared;
  const place = {
    stepId: step.id,
    attempt: step.attempt,
    messageId: answerId(step.turnId, step.index, step.attempt),
  };
  const onFenced = (): void => {
    lost.abort(fenced());
  };
  const isSpoken = speaksInText(agent);
  const stream = createModelStream({ db: deps.db, fence, place, onFenced });
  const answer = await deps.models.resolve(agent.model).complete(fitted.request, {
    signal: AbortSignal.any([signal, lost.signal]),
    idempotencyKey: step.id,
    ...(prepared.streamTokens
      ? {
          onDelta: (delta) => {
            stream.push(isSpoken && delta.kind === 'text' ? { ...delta, spoken: true } : delta);
          },
        }
      : {}),
  });
  await stream.finish();
  return answer;
}

async function readVerdict(
  { db, extensions }: ActivityDeps,
  { agent, step, effects }: Extract<PreparedStep, { kind: 'answered' }>,
): Promise<AnsweredStep> {
  const [message] = await getMessages(db, step.answerMessageId === null ? [] : [step.answerMessageId]);
  const finishReason = step.finishReason ?? 'stop';
  const answer = { effects, body: message?.body, finishReason };
  return toAnsweredStep(agent, answer, chosenExtension(extensions, agent));
}
