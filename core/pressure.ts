import { codePoints } from './block-operations.js';
import type { MessageKind } from './messages.js';

const pressureAt = 0.9;
/** How full the window may be after an eviction, the prefix included. */
const roomAfter = 0.7;
/** The share of the queue that stays, by how often it had to be evicted already in this attempt. */
const shares = [0.7, 0.5, 0.3, 0.1];

/**
 * Whether the context is filling: above nine tenths of the window, or with less than `reserve` tokens left for the
 * answer. A reserve of more than half the window is taken for half of it, or no context would ever be small enough.
 */
export function isUnderPressure(input: { tokens: number; window: number; reserve?: number }): boolean {
  const reserve = Math.min(input.reserve ?? 0, input.window / 2);
  return input.tokens > Math.min(pressureAt * input.window, input.window - reserve);
}

/** A message of the queue as eviction sees it. */
export interface QueuedMessage {
  readonly position: number;
  readonly kind: MessageKind;
  readonly tokens: number;
}

export type EvictionPlan =
  /** Messages before position `keepFrom` leave the context; `evicted` of them. */
  | { readonly kind: 'evict'; readonly keepFrom: number; readonly evicted: number }
  /** No cut is possible: what is left is one message, or one answer with its results. */
  | { readonly kind: 'nothing_left' };

/**
 * Where to cut the message queue, oldest first. Promises:
 * 1. At least one message leaves and at least one stays, or the plan says that nothing is left.
 * 2. The transcript stays well formed: no result is parted from the answer that asked for it.
 * 3. The newest incoming message stays unless it is the oldest of all.
 * 4. Level 0 keeps the newest 70 % (by tokens), each higher level less; never more than fits seven tenths of the
 *    window beside the prefix, as far as 1 to 3 allow.
 */
export function planEviction(input: {
  messages: readonly QueuedMessage[];
  prefixTokens: number;
  window: number;
  level: number;
}): EvictionPlan {
  const { messages } = input;
  const cuts = legalCuts(messages);
  const wanted = wantedCut(input);
  const incoming = messages.findLastIndex((message) => message.kind === 'user' || message.kind === 'system');
  const keepingIncoming = cuts.filter((cut) => cut <= incoming);
  const cut = nearest(keepingIncoming.length > 0 ? keepingIncoming : cuts, wanted, messages);
  const first = cut === undefined ? undefined : messages[cut];
  if (cut === undefined || first === undefined) return { kind: 'nothing_left' };
  return { kind: 'evict', keepFrom: first.position, evicted: cut };
}

/**
 * A text of at most this many characters, its middle cut out with a note of how much is missing: for a single
 * message that is larger than the window.
 */
export function shortenLongMessage(text: string, maxCharacters: number): string {
  const size = codePoints(text);
  if (size <= maxCharacters) return text;
  const note = `\n[… ${size - maxCharacters} or more characters left out: the message was too long for the context …]\n`;
  const room = maxCharacters - codePoints(note);
  if (room <= 0) return head(text, maxCharacters);
  const front = Math.ceil(room * 0.7);
  return head(text, front) + note + tail(text, room - front);
}

/** Indexes before which the queue may be cut. */
function legalCuts(messages: readonly QueuedMessage[]): number[] {
  const cuts: number[] = [];
  // From the end: a cut is legal where the results behind it follow their answer, not where they come first.
  let isOrphaned = false;
  for (let i = messages.length - 1; i > 0; i -= 1) {
    const kind = messages[i]?.kind;
    if (kind === 'tool') isOrphaned = true;
    if (kind === 'assistant') isOrphaned = false;
    if (!isOrphaned) cuts.unshift(i);
  }
  return cuts;
}

function wantedCut(input: Parameters<typeof planEviction>[0]): number {
  const { messages, prefixTokens, window, level } = input;
  const sizes = messages.map((message) => Math.max(1, message.tokens));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const share = shares[level] ?? 0;
  const budget = Math.min(share * total, Math.max(0, roomAfter * window - prefixTokens));
  let kept = 0;
  for (let i = messages.length - 1; i > 0; i -= 1) {
    kept += sizes[i] ?? 0;
    if (kept > budget) return i + 1;
  }
  return 1;
}

/**
 * The legal cut to take: the first at or after the wanted one, a few further if there a user or the agent begins to
 * speak; the last one if all are before it.
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
