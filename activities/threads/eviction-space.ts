import { loopStyle } from '../../core/agents/agents.js';
import { type Message, messageText } from '../../core/threads/messages.js';
import { toModelMessages } from '../../core/threads/model-messages.js';
import { type QueuedMessage, summaryRoom } from '../../core/threads/pressure.js';
import type { fitSummaryTokens } from '../../core/threads/summary.js';
import { estimateRequest, estimateTokens } from '../../core/threads/tokens.js';
import { windowOf } from '../../core/threads/context-window.js';
import { currentEpoch } from '../../schema/threads/epochs.js';
import type { LoopAgent } from '../../schema/threads/loop-agent.js';
import { lastMeasured } from '../../schema/turns/steps.js';
import type { Thread } from '../../schema/threads/threads.js';
import type { ActivityDeps } from '../deps.js';

/** The room of a context, in tokens as close to the provider's count as possible. */
export interface Space {
  readonly window: number;
  readonly reserve: number | undefined;
  /** Tokens of the prompt before the queue and of its tools, without the summary. */
  readonly prefixTokens: number;
  readonly queued: readonly QueuedMessage[];
  /** The room for the next summary. */
  readonly summary: Parameters<typeof fitSummaryTokens>[1];
}

interface ToMeasure {
  readonly agent: LoopAgent;
  readonly thread: Thread;
  readonly queue: readonly Message[];
  readonly previousSummary: string;
}

/** Measures the room for an eviction. */
export async function measureSpace(
  { db, models }: ActivityDeps,
  { agent, thread, queue, previousSummary }: ToMeasure,
): Promise<Space> {
  const [epoch, { scale }] = await Promise.all([
    currentEpoch(db, thread.id),
    lastMeasured(db, { agentId: agent.id, threadId: thread.id }),
  ]);
  const window = windowOf({
    described: models.resolve(agent.model).description.contextWindow,
    limit: agent.contextWindow,
    learned: thread.learned,
    model: agent.model,
  });
  const reserve = agent.modelSettings.maxOutputTokens;
  const sizeOf = (text: string): number => scale * estimateTokens(text);
  const prefix = epoch?.prefix ?? '';
  const whole = scale * estimateRequest([{ role: 'system', content: prefix }], epoch?.tools ?? []);
  // Somebody may have changed the summary since the epoch began.
  const isShown = previousSummary !== '' && prefix.includes(previousSummary);
  const prefixTokens = isShown ? Math.max(0, whole - sizeOf(previousSummary)) : whole;
  const tokens = summaryRoom({ window, reserve, prefixTokens });
  const summary = { characters: agent.compaction.summaryLimit, tokens, sizeOf };
  return { window, reserve, prefixTokens, queued: toQueued(queue, agent, scale), summary };
}

/** The messages with their tokens in a request: each one's share, by its words, of the tokens of all. */
function toQueued(queue: readonly Message[], agent: LoopAgent, scale: number): readonly QueuedMessage[] {
  const packed = toModelMessages(queue, loopStyle(agent.agentType), agent.timezone);
  const words = queue.map(({ body }) => 1 + estimateTokens(messageText(body)));
  const all = words.reduce((sum, size) => sum + size, 0);
  const share = (scale * estimateRequest(packed, [])) / Math.max(1, all);
  return queue.map(({ position, body }, i) => ({
    position: position ?? 0,
    kind: body.kind,
    tokens: share * (words[i] ?? 0),
  }));
}

/**
 * Position of the message that the turn answers: its first one or, if it only carries decisions, the newest one
 * before it. Null for a turn without any.
 */
export function questionOf(queue: readonly Message[], turnId: string): number | null {
  const isIncoming = ({ body }: Message): boolean => body.kind === 'user' || body.kind === 'system';
  const own = queue.filter((message) => message.turnId === turnId);
  if (own.length === 0) return null;
  const question = own.find(isIncoming) ?? queue.findLast(isIncoming);
  return question?.position ?? null;
}
