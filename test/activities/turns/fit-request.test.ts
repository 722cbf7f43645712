import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FitInput, fitRequest } from '../../../activities/turns/fit-request.js';
import type { Message } from '../../../core/threads/messages.js';
import { planEviction, summaryRoom } from '../../../core/threads/pressure.js';
import { type Measured, scaleOf, unmeasured } from '../../../core/threads/request-size.js';
import { fitSummaryTokens } from '../../../core/threads/summary.js';
import { estimateRequest, estimateTokens } from '../../../core/threads/tokens.js';
import type { LoopAgent } from '../../../schema/threads/loop-agent.js';
import { aMessage, assistant, call, result, user } from '../../core/builders.js';

const agent = {
  agentType: 'memgpt_agent',
  timezone: 'UTC',
  modelSettings: {},
  toolRules: [],
  tools: [{ name: 'send_message' }],
} as unknown as LoopAgent;

const question = 'What is the name of the boat?';

interface Context {
  readonly instructions: string;
  readonly summary: string;
  readonly tools: number;
  readonly messages: readonly Message[];
  readonly window: number;
  readonly measured?: Measured;
}

const toolsOf = (count: number): FitInput['epoch']['tools'] =>
  Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    description: 'Looks something up in the memory of the agent.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  }));

function fit(context: Context, mustFit = false) {
  const { instructions, summary, tools, messages, window, measured = unmeasured } = context;
  const epoch = { prefix: `${instructions}\n${summary}`, tools: toolsOf(tools) } as FitInput['epoch'];
  return fitRequest({ agent, epoch, messages, window, statedWindow: window, measured, mustFit, calls: [] });
}

/** Evicts as a step does, with a summariser that writes `written`, until the request fits or nothing helps. */
function live(context: Context, written: string) {
  let now = context;
  let mustFit = false;
  for (let level = 0; level < 12; level += 1) {
    const fitted = fit(now, mustFit);
    if (fitted.kind !== 'pressure') return fitted;
    const { window, instructions, tools } = now;
    const prefixTokens = estimateRequest([{ role: 'system', content: instructions }], toolsOf(tools));
    const tokens = summaryRoom({ window, prefixTokens });
    const room = { characters: 5_000, tokens, sizeOf: estimateTokens };
    const plan = planEviction({
      messages: now.messages.map(({ position, body }) => ({
        ...{ position: position ?? 0, kind: body.kind },
        tokens: estimateTokens(JSON.stringify(body)),
      })),
      ...{ prefixTokens: prefixTokens + tokens, window, level, question: 100 },
    });
    const summary = fitSummaryTokens(plan.kind === 'evict' ? written : now.summary, room);
    mustFit = plan.kind === 'nothing_left' && summary === now.summary;
    const messages = plan.kind === 'evict' ? now.messages.slice(plan.evicted) : now.messages;
    now = { ...now, summary, messages };
  }
  return { kind: 'levels_used_up' as const };
}

const talk = (count: number, words: number): Message[] =>
  Array.from({ length: count }, (_, index) =>
    aMessage(user(`${index}: ${'we talked of the sea. '.repeat(words)}`), {
      turnId: 'old',
      position: index + 1,
    }),
  );

/** The turn's question at position 100, and steps that searched for its answer. */
const turn = (steps: number, found: string): Message[] => [
  aMessage(user(question), { position: 100 }),
  ...Array.from({ length: steps }, (_, index) => [
    aMessage(assistant({ toolCalls: [call(`call-${index}`, 'tool_0', { query: 'boat' })] }), {
      position: 101 + 2 * index,
    }),
    aMessage(result(`call-${index}`, { content: found }), { position: 102 + 2 * index }),
  ]).flat(),
];

describe('a request that has to fit', () => {
  const lives = fc.record({
    window: fc.integer({ min: 4_000, max: 16_000 }),
    instructionShare: fc.double({ min: 0, max: 0.5, noNaN: true }),
    summary: fc.string({ unit: 'grapheme', maxLength: 300 }),
    summaryTimes: fc.nat(60),
    tools: fc.nat(12),
    old: fc.nat(45),
    words: fc.nat(40),
    steps: fc.nat(30),
    found: fc.nat(2_000),
  });

  it('[memory.never-bricked] [memory.question] fits and contains the question, whatever the summary, the tools and the window', () => {
    fc.assert(
      fc.property(
        lives,
        ({ window, instructionShare, summary, summaryTimes, tools, old, words, steps, found }) => {
          const room = instructionShare * window;
          const instructions = 'You are an agent that remembers. '.repeat(Math.floor(room / 14));
          const fixed = estimateRequest([{ role: 'system', content: instructions }], toolsOf(tools));
          fc.pre(fixed < 0.75 * window);
          const long = summary.repeat(summaryTimes);
          const messages = [...talk(old, words), ...turn(steps, 'x '.repeat(found))];

          const fitted = live({ instructions, summary: long, tools, messages, window }, long.slice(0, 5_000));

          expect(fitted.kind).toBe('fits');
          if (fitted.kind !== 'fits') return;
          expect(fitted.tokens).toBeLessThanOrEqual(0.9 * window);
          expect(JSON.stringify(fitted.request.messages)).toContain(question);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('[memory.question] omits the oldest steps of a turn that is too long, and says so', () => {
    const context = { instructions: 'You remember.', summary: '', tools: 1, window: 4_000 };
    const fitted = fit({ ...context, messages: turn(80, 'nothing was found '.repeat(50)) }, true);

    const messages = fitted.kind === 'fits' ? fitted.request.messages : [];
    expect(fitted).toMatchObject({ kind: 'fits', shortened: true });
    expect(JSON.stringify(messages[1])).toContain(question);
    expect(JSON.stringify(messages[2])).toMatch(/\d+ messages are omitted/);
    expect(messages.at(-1)?.role).toBe('tool');
  });

  it('[memory.calibrated] uses the provider’s last figure even when the prefix is new', () => {
    const context = { instructions: 'You remember. '.repeat(900), summary: '', tools: 1, window: 8_000 };
    const messages = turn(0, '');
    const { estimate } = fit({ ...context, window: 100_000, messages }) as { estimate: number };

    const scale = scaleOf({ promptTokens: 0.5 * estimate, estimate });

    expect(estimate).toBeGreaterThan(0.5 * 8_000);
    expect(fit({ ...context, messages, measured: { scale } })).toMatchObject({
      kind: 'fits',
      tokens: Math.ceil(0.5 * estimate),
      estimate,
    });
  });
});

describe('scaleOf', () => {
  it.each([
    [500, 1_000, 0.5],
    [1, 1_000, 0.3],
    [90_000, 1_000, 3],
  ])('[memory.calibrated] for %d tokens that were estimated at %d is %d', (promptTokens, estimate, scale) => {
    expect(scaleOf({ promptTokens, estimate })).toBe(scale);
  });
});
