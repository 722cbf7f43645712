import { codePoints } from '../blocks/operations.js';
import { usualCompaction } from './compaction.js';
import type { MessageKind } from './messages.js';

const pressureAt = 0.9;
/** The share of the queue's room that is kept at most, by how many evictions this attempt already made. */
const shares = [1, 0.5, 0.3, 0.1];
/** The most that a summary may take of the window. */
const summaryShare = 1 / 8;

/** A window and the part of it reserved for the answer, in tokens. */
export interface Room {
  readonly window: number;
  readonly reserve?: number | undefined;
}

/**
 * How many tokens a request may have: nine tenths of the window, or less where `reserve` tokens are kept for the
 * answer. The reserve counts as at most half the window, else no context would fit.
 */
export function fullAt({ window, reserve = 0 }: Room): number {
  return Math.min(pressureAt * window, window - Math.min(reserve, window / 2));
}

/** Whether the context has more tokens than it may. */
export function isUnderPressure(input: Room & { readonly tokens: number }): boolean {
  return input.tokens > fullAt(input);
}

/**
 * How many tokens a summary may have after a prefix of `prefixTokens` without one: an eighth of the window, and
 * never more than it leaves to the messages.
 */
export function summaryRoom(input: Room & { readonly prefixTokens: number }): number {
  return Math.max(0, Math.min(summaryShare * input.window, (fullAt(input) - input.prefixTokens) / 2));
}

/** How many of these tokens to expect for the next summary: as many as the last one had; all, if there was none. */
export function summaryExpected(room: number, last: number): number {
  return last === 0 ? room : Math.min(room, last);
}

/** A message of the queue, as far as eviction needs it. */
export interface QueuedMessage {
  readonly position: number;
  readonly kind: MessageKind;
  readonly tokens: number;
}

export type EvictionPlan =
  /** `evicted` messages leave the context: those before position `keepFrom`. */
  | { readonly kind: 'evict'; readonly keepFrom: number; readonly evicted: number }
  /** No cut is possible: all that is left is one message, one answer with its results, or the turn's question. */
  | { readonly kind: 'nothing_left' };

/** A queue to cut. */
export interface EvictionInput extends Room {
  readonly messages: readonly QueuedMessage[];
  /** Tokens of the prompt before the queue: instructions, tools and the expected summary. */
  readonly prefixTokens: number;
  readonly level: number;
  /** The share of it that is kept at level 0; absent: the usual one. */
  readonly keeps?: number;
  /** Whether to evict all that needs no answer: everything but the running turn's question and calls that wait. */
  readonly leavesNothing?: boolean;
  /** Position of the message that the running turn answers; null: it has none. */
  readonly question: number | null;
}

/**
 * Where to cut the message queue, oldest first. Promises:
 * 1. At least one message leaves and at least one stays, or the plan says that nothing is left.
 * 2. The transcript stays well-formed: a result stays with the answer that called for it.
 * 3. The running turn's question stays. Without one, the newest incoming message stays unless it is the oldest of
 *    all.
 * 4. Level 0 keeps the newest `keeps` (by tokens) of the queue, or of the room after the prefix if that is less.
 *    Each higher level keeps less. If no cut is legal there, the next legal place counts.
 * 5. With `leavesNothing`, all leaves that 2 and 3 allow; without a question everything, despite 1.
 */
export function planEviction(input: EvictionInput): EvictionPlan {
  const { messages } = input;
  const last = messages.at(-1);
  if (input.leavesNothing === true && input.question === null && last !== undefined) {
    return { kind: 'evict', keepFrom: last.position + 1, evicted: messages.length };
  }
  const cuts = allowedCuts(input);
  const cut = nearest(cuts, wantedCut(input), messages);
  const first = cut === undefined ? undefined : messages[cut];
  if (cut === undefined || first === undefined) return { kind: 'nothing_left' };
  return { kind: 'evict', keepFrom: first.position, evicted: cut };
}

function allowedCuts({ messages, question }: EvictionInput): readonly number[] {
  const cuts = legalCuts(messages);
  if (question !== null) return cuts.filter((cut) => (messages[cut]?.position ?? Infinity) <= question);
  const incoming = messages.findLastIndex((message) => message.kind === 'user' || message.kind === 'system');
  const keepingIncoming = cuts.filter((cut) => cut <= incoming);
  return keepingIncoming.length > 0 ? keepingIncoming : cuts;
}

/** A text of at most this many characters. The middle is replaced by a note of how much is missing. */
export function shortenLongMessage(text: string, maxCharacters: number): string {
  const size = codePoints(text);
  if (size <= maxCharacters) return text;
  const note = `\n[… ${size - maxCharacters} or more characters omitted: the message was too long for the context …]\n`;
  const room = maxCharacters - codePoints(note);
  if (room <= 0) return head(text, maxCharacters);
  const front = Math.ceil(room * 0.7);
  return head(text, front) + note + tail(text, room - front);
}

/** Indexes before which the queue may be cut. */
function legalCuts(messages: readonly QueuedMessage[]): number[] {
  const cuts: number[] = [];
  // Scans from the end. A cut is illegal before results whose answer would leave.
  let isOrphaned = false;
  for (let i = messages.length - 1; i > 0; i -= 1) {
    const kind = messages[i]?.kind;
    if (kind === 'tool') isOrphaned = true;
    if (kind === 'assistant') isOrphaned = false;
    if (!isOrphaned) cuts.unshift(i);
  }
  return cuts;
}

function wantedCut(input: EvictionInput): number {
  const { messages, prefixTokens, level, keeps = usualCompaction.keeps, leavesNothing = false } = input;
  const sizes = messages.map((message) => Math.max(1, message.tokens));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const share = leavesNothing ? 0 : Math.min(keeps, shares[level] ?? 0);
  const budget = share * Math.min(total, Math.max(0, fullAt(input) - prefixTokens));
  let kept = 0;
  for (let i = messages.length - 1; i > 0; i -= 1) {
    kept += sizes[i] ?? 0;
    if (kept > budget) return i + 1;
  }
  return 1;
}

/**
 * The legal cut to take: the first at or after the wanted one, or one slightly later where a user or the agent begins
 * to speak; the last one if all are earlier.
 */
function nearest(
  cuts: readonly number[],
  wanted: number,
  messages: readonly QueuedMessage[],
): number | undefined {
  const later = cuts.filter((cut) => cut >= wanted);
  const close = later.filter((cut) => cut <= (later[0] ?? 0) + 3);
  return close.find((cut) => isOpening(messages[cut]?.kind)) ?? later[0] ?? cuts.at(-1);
}

function isOpening(kind: MessageKind | undefined): boolean {
  return kind === 'user' || kind === 'system' || kind === 'assistant';
}

function head(text: string, count: number): string {
  return Array.from(text).slice(0, Math.max(0, count)).join('');
}

function tail(text: string, count: number): string {
  return count <= 0 ? '' : Array.from(text).slice(-count).join('');
}
