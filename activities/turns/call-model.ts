import { WorldFailure } from '../../core/failures.js';
import { inTransaction } from '../../schema/db/database.js';
import { type Fence, holdFence } from '../../schema/turns/fences.js';
import { type LoopAgent, loadLoopAgent } from '../../schema/threads/loop-agent.js';
import { openStep, recordFailure } from '../../schema/turns/step-writes.js';
import { getStep } from '../../schema/turns/steps.js';
import { lockThread } from '../../schema/threads/threads.js';
import { releaseTokens } from '../../schema/refinement/token-budgets.js';
import { askModel } from './ask-model.js';
import { toAttemptError } from './attempt-error.js';
import type { ActivityDeps } from '../deps.js';
import { chosenExtension } from '../extensions.js';
import { currentExecution, keepingAlive } from '../keep-alive.js';
import { learnFromRefusal } from './learned-window.js';
import { type PreparedStep, prepareStep, type ReadyStep } from './prepare-step.js';
import { attemptOf, type StepInput, stepIdOf } from './step-input.js';
import { type AnsweredStep, type StepVerdict, toAnsweredStep } from './step-verdict.js';
import { readStored, storeAnswer, type StoredAnswer } from './store-answer.js';

/** Model calls. */
export function modelActivities(deps: ActivityDeps) {
  return {
    /**
     * One model call: compiles the context from rows, streams the answer to the turn's log, and stores it with its
     * tool calls. If an answer is stored already, no model is called. Throws Turn.Fenced and WorldFailure.
     */
    async callModel(input: StepInput): Promise<StepVerdict> {
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      // Keeps alive from the start, so that waiting for the thread's lock does not look like a dead worker.
      return keepingAlive((signal) => takeStep(deps, { fence, input, signal }));
    },
  };
}

interface StepPlace {
  readonly fence: Fence;
  readonly input: StepInput;
  readonly signal: AbortSignal;
}

async function takeStep(deps: ActivityDeps, place: StepPlace): Promise<StepVerdict> {
  const prepared = await preparedOrRecorded(deps, place);
  switch (prepared.kind) {
    case 'pressure':
      return { kind: 'pressure', overflowed: false };
    case 'prefix_too_large':
      return { kind: 'refused', stopReason: 'context_window_overflow_in_system_prompt' };
    case 'over_budget':
      return { kind: 'refused', stopReason: 'max_tokens_exceeded' };
    case 'answered':
      return verdictOn(deps, prepared.agent, await readStored(deps.db, prepared.step));
    case 'ready':
      return answerStep(deps, place, prepared);
  }
}

async function preparedOrRecorded(deps: ActivityDeps, { fence, input }: StepPlace): Promise<PreparedStep> {
  try {
    return await prepareStep(deps, fence, input);
  } catch (error) {
    // A model that isn't configured fails before the step has a row for its error.
    if (error instanceof WorldFailure) await recordUnopened(deps, { fence, input, error });
    throw error;
  }
}

async function recordUnopened(
  { db }: ActivityDeps,
  { fence, input, error }: Pick<StepPlace, 'fence' | 'input'> & { readonly error: WorldFailure },
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
    await openStep(tx, { step, thread, model: agent.model, events: [] });
    await recordFailure(tx, fence, { stepId: step.id, error: toAttemptError(error, step.attempt) });
  });
}

/** Calls the model and stores its answer. A failure is recorded in the step, for those who watch the turn. */
async function answerStep(
  deps: ActivityDeps,
  { fence, input, signal }: StepPlace,
  prepared: ReadyStep,
): Promise<StepVerdict> {
  const { agent, fitted, step } = prepared;
  try {
    const asked = await askModel(deps, { fence, prepared, signal });
    const stored = await storeAnswer(deps, { fence, input, prepared, ...asked, signal });
    return verdictOn(deps, agent, stored);
  } catch (error) {
    if (!(error instanceof WorldFailure)) throw error;
    const { id: stepId, attempt } = step;
    if (isUnpaid(error)) await releaseTokens(deps.db, fence, { stepId, attempt });
    if (error.type === 'Model.ContextOverflow') {
      const refusal = { threadId: input.threadId, model: agent.model, tokens: fitted.tokens };
      await learnFromRefusal(deps.db, fence, refusal);
      return { kind: 'pressure', overflowed: true };
    }
    await recordFailure(deps.db, fence, { stepId, error: toAttemptError(error, attempt) });
    throw error;
  }
}

function verdictOn({ extensions }: ActivityDeps, agent: LoopAgent, answer: StoredAnswer): AnsweredStep {
  return toAnsweredStep(agent, answer, chosenExtension(extensions, agent));
}

/** Whether the provider refused the call, which costs nothing. */
function isUnpaid({ status }: WorldFailure): boolean {
  return status !== undefined && status >= 400 && status < 500;
}
