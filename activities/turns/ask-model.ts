import type { ModelAnswer, ModelDelta } from '../../core/models/model.js';
import { speaksInText } from '../../core/tools/tools.js';
import type { Fence } from '../../schema/turns/fences.js';
import type { ActivityDeps } from '../deps.js';
import { fenced } from '../failures.js';
import { createModelStream } from './model-stream.js';
import type { ReadyStep } from './prepare-step.js';
import { answerId } from './step-input.js';

/** A model call with its compiled context. */
export interface ModelCall {
  readonly fence: Fence;
  readonly prepared: ReadyStep;
  readonly signal: AbortSignal;
}

/** A model's answer. */
export interface AskedAnswer {
  readonly answer: ModelAnswer;
  /** When its first fragment arrived, by `performance.now()`; null: it came in one piece. */
  readonly firstTokenAt: number | null;
}

/**
 * Calls the model and, if the turn streams, writes the answer's fragments to the turn's log. Stops as soon as the
 * turn no longer belongs to this execution, or a newer attempt of the step has begun. Throws Turn.Fenced and
 * WorldFailure.
 */
export async function askModel(
  { db, models }: Pick<ActivityDeps, 'db' | 'models'>,
  { fence, prepared, signal }: ModelCall,
): Promise<AskedAnswer> {
  const { agent, step, fitted, streamTokens } = prepared;
  const lost = new AbortController();
  const stream = createModelStream({
    ...{ db, fence },
    place: {
      stepId: step.id,
      attempt: step.attempt,
      messageId: answerId(step.turnId, step.index, step.attempt),
    },
    onSuperseded() {
      lost.abort(fenced());
    },
  });
  const isSpoken = speaksInText(agent);
  let firstTokenAt: number | null = null;
  const onDelta = (delta: ModelDelta): void => {
    firstTokenAt ??= performance.now();
    if (!streamTokens) return;
    stream.push(isSpoken && delta.kind === 'text' ? { ...delta, spoken: true } : delta);
  };
  signal.throwIfAborted();
  const answer = await models.resolve(agent.model).complete(fitted.request, {
    signal: AbortSignal.any([signal, lost.signal]),
    idempotencyKey: step.id,
    onDelta,
  });
  await stream.finish();
  return { answer, firstTokenAt };
}
