import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { MessageBody } from '../../core/threads/messages.js';
import type { FinishReason, ModelAnswer } from '../../core/models/model.js';
import { type Db, inTransaction } from '../../schema/db/database.js';
import type { Fence } from '../../schema/turns/fences.js';
import { lastStatements } from '../../schema/db/last-statements.js';
import { getMessages } from '../../schema/threads/messages.js';
import { isOutage } from '../../schema/db/outages.js';
import type { Effect, Step } from '../../schema/turns/records.js';
import { beginAnswer, finishAnswer, type StepAnswer } from '../../schema/turns/step-answers.js';
import { getStep, stepEffects } from '../../schema/turns/steps.js';
import { widenLearnedWindow } from '../../schema/threads/threads.js';
import type { ActivityDeps } from '../deps.js';
import { fenced } from '../failures.js';
import type { ReadyStep } from './prepare-step.js';
import { readAnswer } from './read-answer.js';
import { answerId, type StepInput } from './step-input.js';

/** A model's answer to an attempt of a step. */
export interface Answered {
  readonly fence: Fence;
  readonly input: StepInput;
  readonly prepared: ReadyStep;
  readonly answer: ModelAnswer;
  readonly firstTokenAt: number | null;
  readonly signal: AbortSignal;
}

/** An answer, as stored in rows. */
export interface StoredAnswer {
  readonly effects: readonly Effect[];
  readonly body: MessageBody | undefined;
  readonly finishReason: FinishReason;
}

/** How long to wait before trying to store the answer again while the database is unavailable, in ms. */
const pauseMs = 250;

/**
 * Stores an answer with its planned tool calls, in one transaction. The answer is already paid for, so while the
 * database is unavailable this worker keeps it and tries again, until the activity is cancelled or out of time. If
 * the commit succeeded but its reply was lost, the next try finds the answer stored. Throws Turn.Fenced.
 */
export async function storeAnswer(
  deps: Pick<ActivityDeps, 'db' | 'log'>,
  answered: Answered,
): Promise<StoredAnswer> {
  const answer = await toStepAnswer(answered);
  for (;;) {
    try {
      return await storeOnce(deps, answered, answer);
    } catch (error) {
      if (!isOutage(error) || answered.signal.aborted) throw error;
      deps.log.warn('The database is unavailable. A model’s answer is kept until it can be stored.', {
        error,
      });
      await delay(pauseMs, undefined, { signal: answered.signal });
    }
  }
}

async function storeOnce(
  { db }: Pick<ActivityDeps, 'db'>,
  { fence, input, prepared }: Answered,
  answer: StepAnswer,
): Promise<StoredAnswer> {
  const { effects, message, finishReason } = answer;
  const outcome = await inTransaction<'stored' | 'superseded' | 'fenced'>(db, async (tx) => {
    const begun = await beginAnswer(tx, fence, input.threadId, answer);
    if (begun.kind !== 'begun') return begun.kind;
    const taken = { model: prepared.agent.model, tokens: answer.usage.promptTokens };
    const answers = Promise.all([
      finishAnswer(tx, begun.thread, answer),
      taken.tokens > answer.contextWindow ? widenLearnedWindow(tx, input.threadId, taken) : undefined,
    ]);
    return lastStatements(answers.then(() => 'stored' as const));
  });
  switch (outcome) {
    case 'stored':
      return { effects, body: message.body, finishReason };
    case 'superseded':
      return findStored(db, answer.stepId);
    case 'fenced':
      throw fenced();
  }
}

/**
 * The answer that another attempt has stored. Throws a retryable failure where there is none, because a newer attempt
 * is running.
 */
async function findStored(db: Db, stepId: string): Promise<StoredAnswer> {
  const step = await getStep(db, stepId);
  if (step?.state === 'answered') return readStored(db, step);
  throw ApplicationFailure.create({
    type: 'Step.Superseded',
    message: 'A newer attempt of the step has begun.',
  });
}

/** The stored answer of an answered step. */
export async function readStored(db: Db, step: Step): Promise<StoredAnswer> {
  const [effects, [message]] = await Promise.all([
    stepEffects(db, step.id),
    getMessages(db, step.answerMessageId === null ? [] : [step.answerMessageId]),
  ]);
  return { effects, body: message?.body, finishReason: step.finishReason ?? 'stop' };
}

async function toStepAnswer({ input, prepared, answer, firstTokenAt }: Answered): Promise<StepAnswer> {
  const { agent, step, fitted, epoch, calls, streamTokens } = prepared;
  const messageId = answerId(input.turnId, input.index, step.attempt);
  const toolNames = epoch.tools.map((tool) => tool.name);
  return {
    stepId: step.id,
    attempt: step.attempt,
    ...(await readAnswer(answer, { input, messageId, agent, toolNames, calls })),
    finishReason: answer.finishReason,
    usage: answer.usage,
    contextWindow: fitted.window,
    epochId: epoch.id,
    streamed: streamTokens,
    firstTokenAt,
  };
}
