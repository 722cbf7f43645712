import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoints } from '../../../core/blocks/operations.js';
import type { MessageKind } from '../../../core/threads/messages.js';
import {
  isUnderPressure,
  planEviction,
  shortenLongMessage,
  summaryExpected,
  type EvictionPlan,
  type QueuedMessage,
} from '../../../core/threads/pressure.js';

/** A queue by initials: u user, a assistant, t tool result, h heartbeat, n notice, s system. 10 tokens each. */
function aQueue(letters: string): QueuedMessage[] {
  const kinds: Record<string, MessageKind> = {
    u: 'user',
    a: 'assistant',
    t: 'tool',
    h: 'heartbeat',
    n: 'notice',
    s: 'system',
  };
  return Array.from(letters).map((letter, index) => ({
    position: 100 + index,
    kind: kinds[letter]!,
    tokens: 10,
  }));
}

function plan(letters: string, more: Partial<Parameters<typeof planEviction>[0]> = {}): EvictionPlan {
  return planEviction({
    messages: aQueue(letters),
    prefixTokens: 0,
    window: 1_000,
    level: 0,
    question: null,
    ...more,
  });
}

const cutAt = (index: number): EvictionPlan => ({ kind: 'evict', keepFrom: 100 + index, evicted: index });

describe('isUnderPressure', () => {
  it.each([
    ['at nine tenths', { tokens: 900, window: 1_000 }, false],
    ['above nine tenths', { tokens: 901, window: 1_000 }, true],
    ['with no room for the answer', { tokens: 800, window: 1_000, reserve: 300 }, true],
    ['with just enough room for the answer', { tokens: 700, window: 1_000, reserve: 300 }, false],
    ['with a reserve beyond the window', { tokens: 500, window: 1_000, reserve: 5_000 }, false],
  ])('%s', (_, input, expected) => {
    expect(isUnderPressure(input)).toBe(expected);
  });
});

describe('planEviction', () => {
  it.each<[string, EvictionPlan, EvictionPlan]>([
    ['keeps the newest seven tenths', plan('uauauauaua'), cutAt(3)],
    ['keeps the share that is set', plan('uauauauaua', { keeps: 0.9 }), cutAt(1)],
    ['keeps less than is set at a higher level', plan('uauauauaua', { keeps: 0.9, level: 1 }), cutAt(5)],
    [
      'keeps only what the turn answers when nothing should stay',
      plan('uauauauaua', { leavesNothing: true, question: 108 }),
      cutAt(8),
    ],
    [
      'keeps nothing when no turn has to answer',
      plan('uauauauaua', { leavesNothing: true }),
      { kind: 'evict', keepFrom: 110, evicted: 10 },
    ],
    ['keeps less at a higher level', plan('uauauauaua', { level: 1 }), cutAt(5)],
    ['keeps the newest message of a user at the highest level', plan('uauauauauaa', { level: 9 }), cutAt(8)],
    ['keeps what fits beside the prefix', plan('uauauauaua', { window: 100, prefixTokens: 40 }), cutAt(7)],
    [
      'makes progress beside a prefix that is too long',
      plan('uaua', { window: 100, prefixTokens: 500 }),
      cutAt(2),
    ],
    ['does not separate results from their answer', plan('uatttuauau', { level: 0 }), cutAt(5)],
    [
      'does not separate results from their answer across a notice',
      plan('uantuauau', { level: 0 }),
      cutAt(4),
    ],
    ['evicts the message that began a long turn last', plan('uuatatatatat'), cutAt(1)],
    ['evicts the message that began a long turn when nothing is older', plan('uatatatatath'), cutAt(5)],
    [
      'keeps the question of the turn in its place',
      plan('uauatatatat', { question: 102, level: 9 }),
      cutAt(2),
    ],
    [
      'keeps the question of the turn and the messages since',
      plan('uauauatat', { question: 104, level: 9 }),
      cutAt(4),
    ],
    ['never evicts the question', plan('uatatatatath', { question: 100 }), { kind: 'nothing_left' }],
    ['keeps the room that the answer needs', plan('uauauauaua', { window: 120, reserve: 60 }), cutAt(6)],
    [
      'keeps a share of the queue beside a long prefix',
      plan('uauauauaua', { window: 1_000, prefixTokens: 840 }),
      cutAt(6),
    ],
    ['treats a system alert as an incoming message', plan('uasatatat', { level: 9 }), cutAt(2)],
    ['has nothing left to evict with one message', plan('u'), { kind: 'nothing_left' }],
    ['has nothing left to evict with one answer and its results', plan('att'), { kind: 'nothing_left' }],
    ['has nothing left to evict in an empty queue', plan(''), { kind: 'nothing_left' }],
    ['evicts a question before its answer and results', plan('uatt'), cutAt(1)],
  ])('%s', (_, actual, expected) => {
    expect(actual).toEqual(expected);
  });

  it('evicts one large old message rather than many small ones', () => {
    const [large, ...rest] = aQueue('uauauaua');

    expect(plan('', { messages: [{ ...large!, tokens: 1_000 }, ...rest] })).toEqual(cutAt(1));
  });

  const queues = fc
    .array(
      fc.record({
        kind: fc.constantFrom<MessageKind>('user', 'assistant', 'tool', 'heartbeat', 'notice', 'system'),
        tokens: fc.nat(500),
      }),
      { maxLength: 30 },
    )
    .map((list) => list.map((message, index): QueuedMessage => ({ ...message, position: index * 3 })));
  const inputs = fc.record({
    messages: queues,
    prefixTokens: fc.nat(2_000),
    window: fc.integer({ min: 1, max: 4_000 }),
    level: fc.nat(6),
    question: fc.option(fc.nat(30).map((index) => index * 3)),
  });

  it('[memory.eviction] always makes progress and keeps something, or says that nothing is left', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const made = planEviction(input);
        if (made.kind === 'nothing_left') return;
        expect(made.evicted).toBeGreaterThan(0);
        expect(made.evicted).toBeLessThan(input.messages.length);
        expect(input.messages[made.evicted]?.position).toBe(made.keepFrom);
      }),
    );
  });

  it('[memory.question] never evicts what the turn has to answer', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const made = planEviction(input);
        if (made.kind === 'nothing_left' || input.question === null) return;
        expect(made.keepFrom).toBeLessThanOrEqual(input.question);
      }),
    );
  });

  it.each([
    ['the maximum when there was none', 0, 1_000],
    ['the size of the last one', 200, 200],
    ['no more than the maximum', 1_500, 1_000],
  ])('[memory.share] reserves for the next summary %s', (_, last, expected) => {
    expect(summaryExpected(1_000, last)).toBe(expected);
  });

  it('[memory.share] keeps the stated share, down to the nearest place to cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 200 }), fc.nat(7_000), (count, prefixTokens) => {
        const window = 8_000;
        const made = plan('ua'.repeat(count), { window, prefixTokens });
        const kept = made.kind === 'evict' ? (2 * count - made.evicted) * 10 : 0;
        const share = 0.7 * Math.min(20 * count, 0.9 * window - prefixTokens);
        expect(kept).toBeLessThanOrEqual(share);
        expect(kept).toBeGreaterThan(share - 20);
      }),
    );
  });

  it('[memory.eviction] never leaves a result without its answer', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const made = planEviction(input);
        if (made.kind === 'nothing_left') return;
        const kept = input.messages.slice(made.evicted).map((message) => message.kind);
        const firstResult = kept.indexOf('tool');
        expect(firstResult === -1 || kept.slice(0, firstResult).includes('assistant')).toBe(true);
      }),
    );
  });

  it('[memory.eviction] empties every queue when repeated, down to what cannot be cut', () => {
    fc.assert(
      fc.property(inputs, ({ messages, ...input }) => {
        const rest = { ...input, question: null };
        let queue = messages;
        for (let made = planEviction({ messages: queue, ...rest }); made.kind === 'evict';) {
          queue = queue.slice(made.evicted);
          made = planEviction({ messages: queue, ...rest });
        }
        const kinds = queue.map((message) => message.kind);
        expect(
          kinds.slice(1).filter((kind, i) => kind !== 'tool' && !kinds.slice(i + 1).includes('tool')),
        ).toEqual([]);
      }),
    );
  });
});

describe('shortenLongMessage', () => {
  it('keeps the beginning and the end', () => {
    const shortened = shortenLongMessage(`begin ${'x'.repeat(2_000)} end`, 300);

    expect(shortened).toMatch(/^begin x+\n\[… 1710 or more characters omitted: .*\]\nx+ end$/);
  });

  it('never exceeds its size', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 500 }),
        fc.nat(300),
        (text, max) => codePoints(shortenLongMessage(text, max)) <= max,
      ),
    );
  });
});
