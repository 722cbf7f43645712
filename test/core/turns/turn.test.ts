import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideNext, isBadAnswer, type Decision, type StepOutcome } from '../../../core/turns/turn.js';
import type { ToolRule } from '../../../core/agents/tool-rules.js';
import { aStep, called } from '../builders.js';

const exit: ToolRule = { kind: 'exit_loop', tool: 'send_message' };
const goOn = (kind: string, ...tools: string[]): unknown => ({
  kind: 'continue',
  reason: tools.length === 0 ? { kind } : { kind, tools },
});
const end = (stopReason: string): unknown => ({ kind: 'end', stopReason });
const badArguments = called('search', { status: 'error', badArguments: true });

describe('[turn.heartbeat] [turn.terminal] decideNext in a MemGPT loop', () => {
  it.each<[string, Partial<StepOutcome>, unknown]>([
    ['ends when no heartbeat was requested', { calls: [called('search')] }, end('end_turn')],
    [
      'continues when a heartbeat was requested',
      { calls: [called('search', { requestedHeartbeat: true })] },
      goOn('requested', 'search'),
    ],
    [
      'gives another step after a failed call',
      { calls: [called('search', { status: 'error' })] },
      goOn('tool_failed', 'search'),
    ],
    [
      'gives another step after a failed terminal call',
      { calls: [called('send_message', { status: 'error' })], rules: [exit] },
      goOn('tool_failed', 'send_message'),
    ],
    [
      'continues when a call beside a terminal call failed',
      { calls: [called('send_message'), called('search', { status: 'error' })], rules: [exit] },
      goOn('tool_failed', 'search'),
    ],
    [
      'names a broken tool rule',
      { calls: [called('search', { status: 'error', ruleBroken: true })] },
      goOn('rule_broken', 'search'),
    ],
    ['ends at an exit tool', { calls: [called('send_message')], rules: [exit] }, end('end_turn')],
    [
      'ends at an exit tool that requested a heartbeat',
      { calls: [called('send_message', { requestedHeartbeat: true })], rules: [exit] },
      end('tool_rule'),
    ],
    [
      'ends at a tool that is declared terminal',
      { calls: [called('finish', { terminal: true })] },
      end('end_turn'),
    ],
    [
      'continues after a tool with a continue rule',
      { calls: [called('search')], rules: [{ kind: 'continue_loop', tool: 'search' }] },
      goOn('rule', 'search'),
    ],
    [
      'continues after a tool with children',
      {
        calls: [called('plan')],
        rules: [{ kind: 'constrain_child_tools', tool: 'plan', children: ['act'] }],
      },
      goOn('child_tools', 'plan'),
    ],
    [
      'ends after a parent without children',
      { calls: [called('plan')], rules: [{ kind: 'constrain_child_tools', tool: 'plan', children: [] }] },
      end('end_turn'),
    ],
    [
      'continues after a conditional tool',
      {
        calls: [called('check')],
        rules: [
          {
            kind: 'conditional',
            tool: 'check',
            childByOutput: { yes: 'act' },
            defaultChild: null,
            requireMapping: false,
          },
        ],
      },
      goOn('child_tools', 'check'),
    ],
    [
      'does not end before a required tool',
      { calls: [called('send_message')], rules: [exit, { kind: 'required_before_exit', tool: 'save' }] },
      goOn('required_before_exit', 'save'),
    ],
    [
      'ends once the required tool was called earlier',
      {
        calls: [called('send_message')],
        rules: [exit, { kind: 'required_before_exit', tool: 'save' }],
        earlierCalls: ['save'],
      },
      end('end_turn'),
    ],
    [
      'ends when the required tool is called in the same step',
      {
        calls: [called('save'), called('send_message')],
        rules: [exit, { kind: 'required_before_exit', tool: 'save' }],
      },
      end('end_turn'),
    ],
    [
      'tells the model that text reaches nobody',
      { hasText: true, finishReason: 'stop' },
      goOn('no_tool_call'),
    ],
    ['tells the model that its answer was empty', { finishReason: 'stop' }, goOn('empty_answer')],
    [
      'tells the model that arguments were unreadable',
      { calls: [badArguments] },
      goOn('bad_arguments', 'search'),
    ],
    [
      'ends after three texts in a row',
      { hasText: true, finishReason: 'stop', consecutiveBadAnswers: 2 },
      end('no_tool_call'),
    ],
    [
      'ends after three empty answers in a row',
      { finishReason: 'stop', consecutiveBadAnswers: 2 },
      end('invalid_llm_response'),
    ],
    [
      'ends after three unreadable calls in a row',
      { calls: [badArguments], consecutiveBadAnswers: 2 },
      end('invalid_tool_call'),
    ],
    [
      'names the length limit as the stop reason',
      { finishReason: 'length', consecutiveBadAnswers: 2 },
      end('max_tokens_exceeded'),
    ],
    [
      'does not count unreadable calls beside a good one',
      { calls: [badArguments, called('save')], consecutiveBadAnswers: 2 },
      goOn('bad_arguments', 'search'),
    ],
    [
      'ends at the last allowed step',
      { calls: [called('search', { requestedHeartbeat: true })], stepIndex: 49 },
      end('max_steps'),
    ],
    [
      'ends at the last allowed step after a failure',
      { calls: [called('search', { status: 'error' })], stepIndex: 0, maxSteps: 1 },
      end('max_steps'),
    ],
    [
      'ends normally in the last allowed step',
      { calls: [called('send_message')], rules: [exit], stepIndex: 49 },
      end('end_turn'),
    ],
  ])('%s', (_, step, expected) => {
    expect(decideNext(aStep(step))).toEqual(expected);
  });
});

describe('[turn.plain-text] decideNext in a native loop', () => {
  it.each<[string, Partial<StepOutcome>, unknown]>([
    ['ends with plain text', { hasText: true, finishReason: 'stop' }, end('end_turn')],
    [
      'reports that the text was cut off',
      { hasText: true, finishReason: 'length' },
      end('max_tokens_exceeded'),
    ],
    ['continues after a call', { calls: [called('search')] }, goOn('tool_called')],
    [
      'continues after a call with text beside it',
      { calls: [called('search')], hasText: true },
      goOn('tool_called'),
    ],
    [
      'continues after a failed call',
      { calls: [called('search', { status: 'error' })] },
      goOn('tool_called'),
    ],
    ['ends at an exit tool', { calls: [called('send_message')], rules: [exit] }, end('tool_rule')],
    [
      'does not end before a required tool',
      { hasText: true, finishReason: 'stop', rules: [{ kind: 'required_before_exit', tool: 'save' }] },
      goOn('required_before_exit', 'save'),
    ],
    ['tells the model that its answer was empty', { finishReason: 'stop' }, goOn('empty_answer')],
    [
      'ends after three empty answers in a row',
      { finishReason: 'stop', consecutiveBadAnswers: 2 },
      end('invalid_llm_response'),
    ],
  ])('%s', (_, step, expected) => {
    expect(decideNext(aStep({ style: 'native', ...step }))).toEqual(expected);
  });
});

describe('[seeds.ends] decideNext of a MemGPT agent that speaks in text', () => {
  it.each<[string, Partial<StepOutcome>, unknown]>([
    ['ends with plain text', { hasText: true, finishReason: 'stop' }, end('end_turn')],
    [
      'reports that the text was cut off',
      { hasText: true, finishReason: 'length' },
      end('max_tokens_exceeded'),
    ],
    [
      'does not end before a required tool',
      { hasText: true, finishReason: 'stop', rules: [{ kind: 'required_before_exit', tool: 'save' }] },
      goOn('required_before_exit', 'save'),
    ],
    ['yields after a call without a heartbeat', { calls: [called('save')] }, end('end_turn')],
    ['tells the model that its answer was empty', { finishReason: 'stop' }, goOn('empty_answer')],
  ])('%s', (_, step, expected) => {
    expect(decideNext(aStep({ speaksInText: true, ...step }))).toEqual(expected);
  });
});

describe('every step of a turn', () => {
  const names = fc.constantFrom('send_message', 'search', 'save');
  const calls = fc.array(
    fc.record({
      name: names,
      requestedHeartbeat: fc.boolean(),
      status: fc.constantFrom('success' as const, 'error' as const),
      badArguments: fc.boolean(),
    }),
    { maxLength: 3 },
  );
  const steps: fc.Arbitrary<StepOutcome> = fc.record({
    style: fc.constantFrom('tools' as const, 'native' as const),
    stepIndex: fc.nat(9),
    maxSteps: fc.integer({ min: 1, max: 10 }),
    rules: fc.subarray<ToolRule>([
      exit,
      { kind: 'continue_loop', tool: 'search' },
      { kind: 'required_before_exit', tool: 'save' },
    ]),
    calls,
    earlierCalls: fc.array(names),
    hasText: fc.boolean(),
    speaksInText: fc.boolean(),
    finishReason: fc.constantFrom('stop' as const, 'tool_calls' as const, 'length' as const),
    consecutiveBadAnswers: fc.nat(2),
  });
  const goesOn = (decision: Decision): boolean => decision.kind === 'continue';

  it('[turn.max-steps] never continues after the last step', () => {
    fc.assert(fc.property(steps, (step) => !goesOn(decideNext({ ...step, stepIndex: step.maxSteps - 1 }))));
  });

  it('[turn.failed-tool] continues after every failed call while steps are left', () => {
    fc.assert(
      fc.property(steps, (step) => {
        const failed = { ...step, calls: [...step.calls, called('search', { status: 'error' })] };
        return goesOn(decideNext({ ...failed, stepIndex: 0, maxSteps: 2 }));
      }),
    );
  });

  it('[turn.bad-answers] ends after the third bad answer in a row', () => {
    fc.assert(
      fc.property(
        steps,
        (step) => !isBadAnswer(step) || !goesOn(decideNext({ ...step, consecutiveBadAnswers: 2 })),
      ),
    );
  });
});
