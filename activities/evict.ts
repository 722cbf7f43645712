import { derivedId } from '../core/ids.js';
import { type Message, messageText } from '../core/messages.js';
import { type EvictionPlan, planEviction } from '../core/pressure.js';
import { estimateRequest, estimateTokens } from '../core/tokens.js';
import { windowOf } from '../core/window.js';
import { inTransaction } from '../schema/database.js';
import { currentEpoch } from '../schema/epochs.js';
import { commitEviction, type Eviction, getEviction, readSummary } from '../schema/evictions.js';
import { type LoopAgent, loadLoopAgent } from '../schema/loop-agent.js';
import { loadQueue } from '../schema/messages.js';
import type { Fence } from '../schema/fences.js';
import { lockThread, readThread, type Thread } from '../schema/threads.js';
import { isBounded } from '../schema/token-budgets.js';
import { appendEvents } from '../schema/turn-events.js';
import type { ActivityDeps } from './deps.js';
import { fenced } from './failures.js';
import { currentExecution, keepingAlive } from './keep-alive.js';
import { type EvictedSummary, hardSummary, summarise, summaryLimit } from './summarise.js';

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

/** From this level on the summariser is not asked any more. */
const hardLevel = 3;

/** Eviction. */
export function evictionActivities(deps: ActivityDeps) {
  return {
    /**
     * Moves the oldest messages out of the context and puts a summary in their place. Always makes progress where
     * a cut is possible, and in the time that it has: summarised whole, else in chunks, else dropped from context with
     * a plain notice; a summariser that fails, hangs, rambles or returns nothing never stops it. Done once for a step
     * and a level.
     */
    async summarize(input: EvictInput): Promise<EvictVerdict> {
      const fence = { turnId: input.turnId, executionId: currentExecution() };
      const id = derivedId('eviction', input.turnId, input.index, input.level);
      const earlier = await getEviction(deps.db, id);
      if (earlier !== undefined) return toVerdict(earlier);
      const agent = await loadLoopAgent(deps.db, input);
      const thread = await readThread(deps.db, input.threadId);
      if (agent === undefined || thread === undefined) throw fenced();
      return keepingAlive((signal) => evictOnce(deps, { id, input, agent, thread, fence, signal }));
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
}

async function evictOnce(deps: ActivityDeps, work: Work): Promise<EvictVerdict> {
  const { input, agent, thread, fence, signal } = work;
  const queue = await loadQueue(deps.db, thread.id);
  const window = windowOf({
    described: deps.models.resolve(agent.model).description.contextWindow,
    limit: agent.contextWindow,
    learned: thread.learned,
    model: agent.model,
  });
  const prefixTokens = await prefixSize(deps, thread);
  const plan = planFor(queue, { window, level: input.level, prefixTokens });
  if (plan.kind === 'nothing_left') return plan;
  const evicted = queue.slice(0, plan.evicted);
  const previousSummary = await readSummary(deps.db, thread);
  // What a budget bounds is not spent on summaries.
  const isHard = input.level >= hardLevel || (await isBounded(deps.db, input.turnId));
  const summary = isHard
    ? hardSummary(previousSummary, evicted.length)
    : await summarise(deps, {
        threadId: thread.id,
        ...{ agent, fence, window, previousSummary, evicted, signal },
      });
  return keepEviction(deps, work, { eviction: toEviction(work, { plan, queue, summary }), summary });
}

async function keepEviction(
  { db }: ActivityDeps,
  { input, fence }: Work,
  { eviction, summary }: { eviction: Eviction; summary: EvictedSummary },
): Promise<EvictVerdict> {
  await inTransaction(db, async (tx) => {
    const thread = await lockThread(tx, input.threadId);
    if (thread === undefined) throw fenced();
    const made = { eviction, summary: summary.text, limit: summaryLimit };
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

function toEviction(
  { id, input, thread }: Work,
  made: {
    readonly plan: Extract<EvictionPlan, { kind: 'evict' }>;
    readonly queue: readonly Message[];
    readonly summary: EvictedSummary;
  },
): Eviction {
  const { plan, queue, summary } = made;
  const sizes = queue.map((message) => estimateTokens(messageText(message.body)));
  const before = sizes.reduce((sum, size) => sum + size, 0);
  const left = sizes.slice(0, plan.evicted).reduce((sum, size) => sum + size, 0);
  return {
    id,
    threadId: thread.id,
    turnId: input.turnId,
    level: input.level,
    method: summary.method,
    keepFrom: plan.keepFrom,
    messages: plan.evicted,
    tokensBefore: before,
    tokensAfter: before - left,
  };
}
