import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Model } from '../../adapters/models/model.js';
import { createDeadline } from '../../adapters/models/deadline.js';
import type { Compaction } from '../../core/threads/compaction.js';
import { WorldFailure } from '../../core/failures.js';
import { type Message, messageText } from '../../core/threads/messages.js';
import type { ModelRequest } from '../../core/turns/model.js';
import { summaryRequest, transcriptText } from '../../core/threads/prompts.js';
import { fitSummary, inChunks, summariserTimeLeft, withHardNotice } from '../../core/threads/summary.js';
import { estimateTokens } from '../../core/threads/tokens.js';
import {
  type ChunkQuestion,
  findChunkSummary,
  keepChunkSummary,
} from '../../schema/threads/chunk-summaries.js';
import { inTransaction } from '../../schema/db/database.js';
import type { EvictionMethod } from '../../schema/threads/evictions.js';
import type { LoopAgent } from '../../schema/turns/loop-agent.js';
import { type Fence, holdFence } from '../../schema/turns/fences.js';
import { lockThread } from '../../schema/threads/threads.js';
import type { ActivityDeps } from '../deps.js';
import { fenced } from '../failures.js';
import { timeUsedMs } from '../keep-alive.js';

/** Messages that are about to leave a thread's context, and what their summariser has to work with. */
export interface SummaryWork {
  readonly agent: LoopAgent;
  readonly threadId: string;
  readonly fence: Fence;
  /** In tokens. */
  readonly window: number;
  readonly previousSummary: string;
  readonly evicted: readonly Message[];
  readonly signal: AbortSignal;
}

/** What is to stand for the evicted messages. */
export interface EvictedSummary {
  readonly method: EvictionMethod;
  readonly text: string;
}

const summaryWords = 500;
/** Characters of a summary for each word that its summariser is asked for at most. */
const charactersPerWord = 10;
/** A summariser that has said so many times too much is not going to be brief: it is cut off, and its beginning is taken. */
const rambling = 4;
/** Attempts of an eviction that wait for a summariser which can't be reached. */
const attemptsWithSummariser = 3;

/**
 * Folds the evicted messages into the summary so far, in as many calls as the window asks for. What a summariser
 * leaves undone, because it fails, refuses, says nothing or takes too long, is replaced by a plain notice; what it did
 * is used, and is not asked for again by a later attempt. Throws a retryable WorldFailure where another attempt of the
 * activity may do better, and Turn.Fenced.
 */
export async function summarise(deps: ActivityDeps, work: SummaryWork): Promise<EvictedSummary> {
  const summariser = summariserOf(deps, work);
  const chunks = inChunks(work.evicted, summariser.window / 2, (message) =>
    estimateTokens(messageText(message.body)),
  );
  let text = work.previousSummary;
  let done = 0;
  for (const chunk of chunks) {
    const next = await summariseChunk(deps, work, { summariser, previousSummary: text, chunk });
    if (next === '') return hardSummary(work.agent.compaction, text, work.evicted.length - done);
    text = next;
    done += chunk.length;
  }
  return { method: chunks.length === 1 ? 'summarised' : 'summarised_in_chunks', text };
}

/** What stands for messages that nobody summarised, beside the summary of others. */
export function hardSummary({ summaryLimit }: Compaction, summary: string, messages: number): EvictedSummary {
  return { method: 'hard', text: fitSummary(withHardNotice(summary, messages), summaryLimit) };
}

/** Who summarises, and how much it can read, in tokens. */
interface Summariser {
  readonly model: Model;
  readonly handle: string;
  readonly window: number;
}

/** The model that the settings name; the agent's own where they name none, or one that is not configured any more. */
function summariserOf({ models, log }: ActivityDeps, { agent, window }: SummaryWork): Summariser {
  const wanted = agent.compaction.model;
  if (wanted !== null && wanted !== agent.model) {
    try {
      const model = models.resolve(wanted);
      return { model, handle: wanted, window: Math.min(window, model.description.contextWindow) };
    } catch (error) {
      if (!(error instanceof WorldFailure)) throw error;
      log.warn('The summariser that is set can’t be used; the agent’s own model takes its place.', {
        type: error.type,
      });
    }
  }
  return { model: models.resolve(agent.model), handle: agent.model, window };
}

interface Chunk {
  readonly summariser: Summariser;
  readonly previousSummary: string;
  readonly chunk: readonly Message[];
}

/** The summary with the chunk folded in; empty where the summariser is of no use. */
async function summariseChunk(deps: ActivityDeps, work: SummaryWork, input: Chunk): Promise<string> {
  const request = chunkRequest(work, input);
  const question = { threadId: work.threadId, fingerprint: fingerprintOf(input.summariser.handle, request) };
  const known = await findChunkSummary(deps.db, question);
  if (known !== undefined) return known;
  const summary = await askSummariser(deps, work, { model: input.summariser.model, request });
  if (summary !== '') await keepAnswer(deps, work.fence, { question, summary });
  return summary;
}

function chunkRequest({ agent }: SummaryWork, { summariser, previousSummary, chunk }: Chunk): ModelRequest {
  const { prompt: instructions, summaryLimit, settings } = agent.compaction;
  // A single message may be larger than the window: what the summariser reads is cut to half of it.
  const transcript = transcriptText(chunk, agent.timezone).slice(0, Math.floor(summariser.window * 1.5));
  const maxWords = Math.max(1, Math.min(summaryWords, Math.floor(summaryLimit / charactersPerWord)));
  return {
    messages: summaryRequest({ previousSummary, transcript, maxWords, instructions }),
    tools: [],
    toolChoice: 'none',
    settings,
  };
}

function fingerprintOf(model: string, { messages, settings }: ModelRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([model, messages, settings]))
    .digest('hex');
}

async function keepAnswer(
  { db }: ActivityDeps,
  fence: Fence,
  { question, summary }: { question: ChunkQuestion; summary: string },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    // The row refers to the thread, and whoever ends the turn locks the thread first.
    const [thread, held] = await Promise.all([lockThread(tx, question.threadId), holdFence(tx, fence)]);
    if (thread === undefined || held === undefined) throw fenced();
    await keepChunkSummary(tx, question, summary);
  });
}

async function askSummariser(
  deps: ActivityDeps,
  { agent, signal }: SummaryWork,
  { model, request }: { readonly model: Model; readonly request: ModelRequest },
): Promise<string> {
  const { summaryLimit } = agent.compaction;
  const { info } = Context.current();
  const left = summariserTimeLeft({ usedMs: timeUsedMs(), withinMs: info.scheduleToCloseTimeoutMs });
  if (left <= 0) return withoutSummary(deps, 'Eviction.NoTimeLeft');
  const deadline = createDeadline(left, signal);
  const said = { text: '' };
  try {
    const answer = await model.complete(request, {
      signal: deadline.controller.signal,
      onDelta: (delta) => {
        if (delta.kind === 'text') said.text += delta.text;
        if (said.text.length > rambling * summaryLimit) deadline.controller.abort();
      },
    });
    return fitSummary(answer.text, summaryLimit);
  } catch (error) {
    signal.throwIfAborted();
    if (said.text.length > rambling * summaryLimit) return fitSummary(said.text, summaryLimit);
    if (deadline.isOver()) return withoutSummary(deps, 'Eviction.NoTimeLeft');
    if (!(error instanceof WorldFailure)) throw error;
    // The next attempt of the activity may find the provider well; after a few it is done without it.
    const isInTime = (error.retryAfterMs ?? 0) < left;
    if (error.retryable && isInTime && info.attempt < attemptsWithSummariser) throw error;
    return withoutSummary(deps, error.type);
  } finally {
    deadline.clear();
  }
}

function withoutSummary({ log }: ActivityDeps, type: string): string {
  log.warn('The summariser failed; its messages leave the context without a summary.', { type });
  return '';
}
