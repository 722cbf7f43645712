import { Context } from '@temporalio/activity';
import { WorldFailure } from '../core/failures.js';
import { derivedId } from '../core/ids.js';
import type { Message } from '../core/messages.js';
import { type EvictionPlan, fitSummary, hardNotice, planEviction } from '../core/pressure.js';
import { summaryRequest, transcriptText } from '../core/prompts.js';
import { estimateRequest, estimateTokens } from '../core/tokens.js';
import { messageText } from '../core/messages.js';
import { inTransaction } from '../schema/database.js';
import { currentEpoch } from '../schema/epochs.js';
import { commitEviction, type Eviction, getEviction, readSummary } from '../schema/evictions.js';
import { type LoopAgent, loadLoopAgent } from '../schema/loop-agent.js';
import { loadQueue } from '../schema/messages.js';
import type { Fence } from '../schema/step-writes.js';
import { lockThread, readThread, type Thread } from '../schema/threads.js';
import { appendEvents } from '../schema/turn-events.js';
import type { ActivityDeps, Log } from './deps.js';
import { fenced } from './failures.js';
import { currentExecution, keepingAlive } from './keep-alive.js';

export interface EvictInput {
  readonly threadId: string;
  readonly turnId: string;
  readonly agentId: string;
  /** Of the step that found the context full. */
  readonly index: number;
  /** 0 the first time in a step; each further one presses harder. */
  readonly level: number;
  readonly overflowed: boolean;
}

export type EvictVerdict =
  | { readonly kind: 'evicted'; readonly messages: number; readonly method: Eviction['method'] }
  /** What is left can't be cut: one message, or one answer with its results. */
  | { readonly kind: 'nothing_left' };

/** A summary may have this many characters: about 700 words, a page of a context that is thousands. */
const summaryLimit = 5_000;
const summaryWords = 500;
/** Attempts of an eviction that wait for a summariser which can't be reached. */
const attemptsWithSummariser = 3;
/** From this level on the summariser is not asked any more. */
const hardLevel = 3;

interface Work {
  readonly agent: LoopAgent;
  readonly thread: Thread;
  readonly window: number;
  readonly evicted: readonly Message[];
  readonly level: number;
  readonly log: Log;
  readonly signal: AbortSignal;
}

type Plan = Extract<EvictionPlan, { kind: 'evict' }>;

/** Eviction. */
export function evictionActivities(deps: ActivityDeps) {
  return {
    /**
     * Moves the oldest messages out of the context and puts a summary in their place. Always makes progress where
     * a cut is possible: summarised whole, else in chunks, else dropped from context with a plain notice; a
     * summariser that fails, rambles or returns nothing never stops it. Done once for a step and a level.
     */
    async evict(input: EvictInput): Promise<EvictVerdict> {
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      const id = derivedId('eviction', input.turnId, input.index, input.level);
      const earlier = await getEviction(deps.db, id);
      if (earlier !== undefined)
        return { kind: 'evicted', messages: earlier.messages, method: earlier.method };
      const agent = await loadLoopAgent(deps.db, input);
      const thread = await readThread(deps.db, input.threadId);
      if (agent === undefined || thread === undefined) throw fenced();
      return keepingAlive((signal) => evictOnce(deps, { id, input, agent, thread, fence, signal }));
    },
  };
}

async function evictOnce(
  deps: ActivityDeps,
  context: {
    readonly id: string;
    readonly input: EvictInput;
    readonly agent: LoopAgent;
    readonly thread: Thread;
    readonly fence: Fence;
    readonly signal: AbortSignal;
  },
): Promise<EvictVerdict> {
  const { id, input, agent, thread, fence, signal } = context;
  const queue = await loadQueue(deps.db, thread.id);
  const window = windowOf(deps, agent, thread);
  const prefixTokens = await prefixSize(deps, thread);
  const plan = planFor(queue, { window, level: input.level, prefixTokens });
  if (plan.kind === 'nothing_left') return plan;
  const evicted = queue.slice(0, plan.evicted);
  const { log } = deps;
  const work = { agent, thread, window, evicted, level: input.level, log, signal };
  const { method, summary } = await summarise(deps, work);
  const eviction = toEviction({ id, input, thread, plan, method, queue });
  await inTransaction(deps.db, async (tx) => {
    const locked = await lockThread(tx, thread.id);
    const { messages, tokensBefore, tokensAfter } = eviction;
    const event = { kind: 'evicted' as const, messages, tokensBefore, tokensAfter };
    if (locked === undefined || !(await appendEvents(tx, fence, [event]))) throw fenced();
    const blockId = thread.summaryBlockId ?? derivedId('block', thread.id, 'summary');
    await commitEviction(tx, locked, eviction, { blockId, value: summary, limit: summaryLimit });
  });
  return { kind: 'evicted', messages: eviction.messages, method };
}

function windowOf({ models }: ActivityDeps, agent: LoopAgent, thread: Thread): number {
  const model = models.resolve(agent.model).description;
  return Math.min(agent.contextWindow ?? model.contextWindow, thread.learnedWindow ?? Infinity);
}

async function prefixSize({ db }: ActivityDeps, thread: Thread): Promise<number> {
  const epoch = await currentEpoch(db, thread.id);
  return epoch === undefined ? 0 : estimateRequest([{ role: 'system', content: epoch.prefix }], epoch.tools);
}

function planFor(
  queue: readonly Message[],
  { window, level, prefixTokens }: { window: number; level: number; prefixTokens: number },
): EvictionPlan {
  return planEviction({
    messages: queue.map((message) => ({
      position: message.position ?? 0,
      kind: message.body.kind,
      tokens: estimateTokens(messageText(message.body)),
    })),
    prefixTokens,
    window,
    level,
  });
}

async function summarise(
  deps: ActivityDeps,
  work: Work,
): Promise<{ method: Eviction['method']; summary: string }> {
  const previous = await readSummary(deps.db, work.thread);
  if (work.level < hardLevel) {
    const chunks = inChunks(work.evicted, work.window);
    const summary = await summariseChunks(deps, work, previous, chunks);
    if (summary !== '')
      return { method: chunks.length === 1 ? 'summarised' : 'summarised_in_chunks', summary };
  }
  const notice = hardNotice(work.evicted.length);
  return {
    method: 'hard',
    summary: fitSummary(previous === '' ? notice : `${notice}\n${previous}`, summaryLimit),
  };
}

/** Parts of the evicted messages that a summariser can read at once, each at most half the window. */
function inChunks(messages: readonly Message[], window: number): readonly (readonly Message[])[] {
  const chunks: Message[][] = [];
  let room = 0;
  for (const message of messages) {
    const tokens = estimateTokens(messageText(message.body));
    if (chunks.length === 0 || tokens > room) {
      chunks.push([]);
      room = window / 2;
    }
    chunks.at(-1)?.push(message);
    room -= tokens;
  }
  return chunks;
}

/** Folds the chunks into one summary, each with the one before it; empty where the summariser is of no use. */
async function summariseChunks(
  deps: ActivityDeps,
  work: Work,
  previous: string,
  chunks: readonly (readonly Message[])[],
): Promise<string> {
  let summary = previous;
  for (const chunk of chunks) {
    const next = await askSummariser(deps, work, summary, chunk);
    if (next === '') return '';
    summary = next;
  }
  return summary;
}

async function askSummariser(
  { models }: ActivityDeps,
  { agent, window, log, signal }: Work,
  previousSummary: string,
  chunk: readonly Message[],
): Promise<string> {
  // A single message may be larger than the window: what the summariser reads is cut to half of it.
  const transcript = transcriptText(chunk, agent.timezone).slice(0, Math.floor(window * 1.5));
  try {
    const answer = await models.resolve(agent.model).complete(
      {
        messages: summaryRequest({ previousSummary, transcript, maxWords: summaryWords }),
        tools: [],
        toolChoice: 'none',
        settings: {},
      },
      { signal },
    );
    return fitSummary(answer.text, summaryLimit);
  } catch (error) {
    if (!(error instanceof WorldFailure)) throw error;
    // The next attempt of the activity may find the provider well; after a few it is done without it.
    if (error.retryable && Context.current().info.attempt < attemptsWithSummariser) throw error;
    log.warn('The summariser failed; its messages leave the context without a summary.', {
      type: error.type,
    });
    return '';
  }
}

function toEviction(input: {
  readonly id: string;
  readonly input: EvictInput;
  readonly thread: Thread;
  readonly plan: Plan;
  readonly method: Eviction['method'];
  readonly queue: readonly Message[];
}): Eviction {
  const { id, plan, method, queue } = input;
  const sizes = queue.map((message) => estimateTokens(messageText(message.body)));
  const before = sizes.reduce((sum, size) => sum + size, 0);
  const left = sizes.slice(0, plan.evicted).reduce((sum, size) => sum + size, 0);
  return {
    id,
    threadId: input.thread.id,
    turnId: input.input.turnId,
    level: input.input.level,
    method,
    keepFrom: plan.keepFrom,
    messages: plan.evicted,
    tokensBefore: before,
    tokensAfter: before - left,
  };
}
