import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Model } from '../../adapters/models/model.js';
import { createDeadline } from '../../adapters/models/deadline.js';
import type { Compaction } from '../../core/threads/compaction.js';
import { WorldFailure } from '../../core/failures.js';
import { type Message, messageText } from '../../core/threads/messages.js';
import type { ModelRequest } from '../../core/models/model.js';
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
import type { LoopAgent } from '../../schema/threads/loop-agent.js';
import { type Fence, holdFence } from '../../schema/turns/fences.js';
import { lockThread } from '../../schema/threads/threads.js';
import type { ActivityDeps } from '../deps.js';
import { fenced } from '../failures.js';
import { timeUsedMs } from '../keep-alive.js';

/** Messages that leave a thread's context, and all that their summariser needs. */
export interface SummaryWork {
  readonly agent: LoopAgent;
  readonly threadId: string;
  readonly fence: Fence;
  /** In tokens. */
  readonly window: number;
  readonly previousSummary: string;
  readonly evicted: readonly Message[];
  readonly signal: AbortSignal;
  /** When the eviction's attempt began, by `performance.now()`. */
  readonly beganAt: number;
}

/** What replaces the evicted messages. */
export interface EvictedSummary {
  readonly method: EvictionMethod;
  readonly text: string;
}

const summaryWords = 500;
/** Characters of a summary per requested word. */
const charactersPerWord = 10;
/** A summariser that exceeds the limit by this factor is cut off, and the beginning of its summary is used. */
const rambling = 4;
/** How many attempts of an eviction wait for an unavailable summariser. */
const attemptsWithSummariser = 3;

/**
 * Adds the evicted messages to the current summary, in as many calls as the window requires. Where the summariser
 * fails, refuses, says nothing or takes too long, a plain notice replaces the rest. Finished chunks are kept, also
 * for later attempts. Throws Turn.Fenced, and a retryable WorldFailure where another attempt may succeed.
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

/** Replaces messages without a summary by a notice, and keeps the summary of the others. */
export function hardSummary({ summaryLimit }: Compaction, summary: string, messages: number): EvictedSummary {
  return { method: 'hard', text: fitSummary(withHardNotice(summary, messages), summaryLimit) };
}

/** The summarising model, and how much it can read, in tokens. */
interface Summariser {
  readonly model: Model;
  readonly handle: string;
  readonly window: number;
}

/** The configured summariser; the agent's own model where there is none, or it is no longer available. */
function summariserOf({ models, log }: ActivityDeps, { agent, window }: SummaryWork): Summariser {
  const wanted = agent.compaction.model;
  if (wanted !== null && wanted !== agent.model) {
    try {
      const model = models.resolve(wanted);
      return { model, handle: wanted, window: Math.min(window, model.description.contextWindow) };
    } catch (error) {
      if (!(error instanceof WorldFailure)) throw error;
      log.warn('The configured summariser is not available. The agent’s own model is used instead.', {
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

/** The summary with the chunk added; empty where the summariser failed. */
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
  // A single message may exceed the window, so the transcript is cut to half of it.
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
    // The row refers to the thread, and the end of a turn locks the thread first, so this does too.
    const [thread, held] = await Promise.all([lockThread(tx, question.threadId), holdFence(tx, fence)]);
    if (thread === undefined || held === undefined) throw fenced();
    await keepChunkSummary(tx, question, summary);
  });
}

async function askSummariser(
  deps: ActivityDeps,
  { agent, signal, beganAt }: SummaryWork,
  { model, request }: { readonly model: Model; readonly request: ModelRequest },
): Promise<string> {
  const { summaryLimit } = agent.compaction;
  const { info } = Context.current();
  const left = summariserTimeLeft({ usedMs: timeUsedMs(beganAt), withinMs: info.scheduleToCloseTimeoutMs });
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
    // A later attempt may find the provider available. After a few, the eviction goes on without it.
    const isInTime = (error.retryAfterMs ?? 0) < left;
    if (error.retryable && isInTime && info.attempt < attemptsWithSummariser) throw error;
    return withoutSummary(deps, error.type);
  } finally {
    deadline.clear();
  }
}

function withoutSummary({ log }: ActivityDeps, type: string): string {
  log.warn('The summariser failed. The messages leave the context without a summary.', { type });
  return '';
}
