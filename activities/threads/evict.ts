import { greatestSummaryLimit } from '../../core/threads/compaction.js';
import { derivedId } from '../../core/ids.js';
import type { Message } from '../../core/threads/messages.js';
import {
  type EvictionPlan,
  planEviction,
  type QueuedMessage,
  summaryExpected,
} from '../../core/threads/pressure.js';
import { fitSummaryTokens } from '../../core/threads/summary.js';
import { inTransaction } from '../../schema/db/database.js';
import { commitEviction, type Eviction, getEviction, readSummary } from '../../schema/threads/evictions.js';
import type { Fence } from '../../schema/turns/fences.js';
import { type LoopAgent, loadLoopAgent } from '../../schema/threads/loop-agent.js';
import { loadQueue } from '../../schema/threads/messages.js';
import { lockThread, readThread, type Thread } from '../../schema/threads/threads.js';
import { isBounded } from '../../schema/refinement/token-budgets.js';
import { appendEvents } from '../../schema/turns/events.js';
import type { ActivityDeps } from '../deps.js';
import { fenced } from '../failures.js';
import { measureSpace, questionOf, type Space } from './eviction-space.js';
import { currentExecution, keepingAlive } from '../keep-alive.js';
import { type EvictedSummary, hardSummary, summarise } from './summarise.js';

export interface EvictInput {
  readonly threadId: string;
  readonly turnId: string;
  readonly agentId: string;
  /** The step that found the context full. */
  readonly index: number;
  /** 0 at the first eviction of a step. Each further one keeps less. */
  readonly level: number;
  readonly overflowed: boolean;
}

export type EvictVerdict =
  | { readonly kind: 'evicted'; readonly messages: number; readonly method: Eviction['method'] }
  /** No cut is possible: what is left is one message, or one answer with its results. */
  | { readonly kind: 'nothing_left' };

/** From this level on, the summariser is skipped. */
const hardLevel = 3;

/** Eviction. */
export function evictionActivities(deps: ActivityDeps) {
  return {
    /**
     * Moves the oldest messages out of the context and puts a summary in their place. Always makes progress where a
     * cut is possible, and in time: summarised as a whole, else in chunks, else replaced by a plain notice. A
     * summariser that fails, hangs, rambles or returns nothing never blocks it. Done once per step and level.
     */
    async summarize(input: EvictInput): Promise<EvictVerdict> {
      const beganAt = performance.now();
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      const id = derivedId('eviction', input.turnId, input.index, input.level);
      const earlier = await getEviction(deps.db, id);
      if (earlier !== undefined) return toVerdict(earlier);
      const agent = await loadLoopAgent(deps.db, input);
      const thread = await readThread(deps.db, input.threadId);
      if (agent === undefined || thread === undefined) throw fenced();
      return keepingAlive((signal) => evictOnce(deps, { id, input, agent, thread, fence, signal, beganAt }));
    },
  };
}

interface Work {
  readonly id: string;
  readonly input: EvictInput;
  readonly agent: LoopAgent;
  readonly thread: Thread;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  /** By `performance.now()`. */
  readonly beganAt: number;
}

async function evictOnce(deps: ActivityDeps, work: Work): Promise<EvictVerdict> {
  const { input, agent, thread, fence, signal, beganAt } = work;
  const [queue, previousSummary] = await Promise.all([
    loadQueue(deps.db, thread.id),
    readSummary(deps.db, thread),
  ]);
  const space = await measureSpace(deps, { agent, thread, queue, previousSummary });
  const question = questionOf(queue, input.turnId);
  const expected = summaryExpected(space.summary.tokens, space.summary.sizeOf(previousSummary.trim()));
  const plan = planEviction({
    ...{ messages: space.queued, prefixTokens: space.prefixTokens + expected },
    ...{ window: space.window, reserve: space.reserve, level: input.level },
    ...{ keeps: agent.compaction.keeps, leavesNothing: leavesNothing(work, queue, question) },
    question,
  });
  if (plan.kind === 'nothing_left') return shrinkSummary(deps, work, { space, previousSummary });
  const evicted = queue.slice(0, plan.evicted);
  // A limited token budget is not spent on summaries.
  const isHard = input.level >= hardLevel || (await isBounded(deps.db, input.turnId));
  const made = isHard
    ? hardSummary(agent.compaction, previousSummary, evicted.length)
    : await summarise(deps, {
        ...{
          threadId: thread.id,
          agent,
          fence,
          window: space.window,
          previousSummary,
          evicted,
          signal,
          beganAt,
        },
      });
  const summary = { ...made, text: fitSummaryTokens(made.text, space.summary) };
  return keepEviction(deps, work, { eviction: toEviction(work, { plan, space, summary }), summary });
}

/** A turn without a question must keep its own messages, whatever the settings say, because it goes on from them. */
function leavesNothing({ agent, input }: Work, queue: readonly Message[], question: number | null): boolean {
  return (
    agent.compaction.leavesNothing &&
    (question !== null || queue.every(({ turnId }) => turnId !== input.turnId))
  );
}

/**
 * Where no message can leave, shortens a summary that is too long for the window: the window may have been lowered,
 * or a person may have edited the summary.
 */
async function shrinkSummary(
  deps: ActivityDeps,
  work: Work,
  { space, previousSummary }: { readonly space: Space; readonly previousSummary: string },
): Promise<EvictVerdict> {
  const text = fitSummaryTokens(previousSummary, space.summary);
  if (text === previousSummary.trim()) return { kind: 'nothing_left' };
  const summary = { method: 'hard' as const, text };
  const plan = { kind: 'evict' as const, keepFrom: work.thread.queueStart, evicted: 0 };
  return keepEviction(deps, work, { eviction: toEviction(work, { plan, space, summary }), summary });
}

async function keepEviction(
  { db }: ActivityDeps,
  { input, fence }: Work,
  { eviction, summary }: { eviction: Eviction; summary: EvictedSummary },
): Promise<EvictVerdict> {
  await inTransaction(db, async (tx) => {
    const thread = await lockThread(tx, input.threadId);
    if (thread === undefined) throw fenced();
    const made = { eviction, summary: summary.text, limit: greatestSummaryLimit };
    if (!(await commitEviction(tx, thread, made))) return;
    const { messages, tokensBefore, tokensAfter } = eviction;
    const event = { kind: 'evicted' as const, messages, tokensBefore, tokensAfter };
    if (!(await appendEvents(tx, fence, [event]))) throw fenced();
  });
  return toVerdict(eviction);
}

function toVerdict({ messages, method }: Eviction): EvictVerdict {
  return { kind: 'evicted', messages, method };
}

function toEviction(
  { id, input, thread }: Work,
  made: {
    readonly plan: Extract<EvictionPlan, { kind: 'evict' }>;
    readonly space: Space;
    readonly summary: EvictedSummary;
  },
): Eviction {
  const { plan, space, summary } = made;
  const sum = (messages: readonly QueuedMessage[]): number =>
    Math.round(messages.reduce((all, { tokens }) => all + tokens, 0));
  return {
    id,
    threadId: thread.id,
    turnId: input.turnId,
    level: input.level,
    method: summary.method,
    keepFrom: plan.keepFrom,
    messages: plan.evicted,
    tokensBefore: sum(space.queued),
    tokensAfter: sum(space.queued.slice(plan.evicted)),
  };
}
