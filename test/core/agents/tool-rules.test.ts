import { describe, expect, it } from '@jest/globals';
import {
  allowedTools,
  describeRules,
  missingBeforeExit,
  needsApproval,
  prefilledArguments,
  ruleViolation,
  terminalTools,
  type PastCall,
  type ToolRule,
} from '../../../core/agents/tool-rules.js';

const tools = ['a', 'b', 'c'];
const first: ToolRule = { kind: 'run_first', tool: 'a', args: { x: 1 } };
const children: ToolRule = {
  kind: 'constrain_child_tools',
  tool: 'a',
  children: ['b', 'c'],
  childArguments: { b: { y: 2 } },
};
const parent: ToolRule = { kind: 'parent_last_tool', tool: 'a', children: ['b'] };
const twice: ToolRule = { kind: 'max_count_per_step', tool: 'b', limit: 2 };

function conditional(more: Partial<Extract<ToolRule, { kind: 'conditional' }>> = {}): ToolRule {
  return {
    kind: 'conditional',
    tool: 'a',
    childByOutput: { true: 'b', '3': 'c' },
    defaultChild: null,
    requireMapping: false,
    ...more,
  };
}

describe('[turn.tool-rules] allowedTools', () => {
  it.each<[string, ToolRule[], PastCall[], string[], string | null]>([
    ['everything without rules', [], [], tools, null],
    ['only the run_first tools at the start of a turn', [first], [], ['a'], 'a'],
    ['everything after a run_first tool', [first], [{ name: 'a' }], tools, null],
    ['only the run_first tools again after they failed', [first], [{ name: 'a', failed: true }], ['a'], 'a'],
    [
      'everything when the run_first tool was detached',
      [{ kind: 'run_first', tool: 'gone' }],
      [],
      tools,
      null,
    ],
    ['only the children after their parent', [children], [{ name: 'a' }], ['b', 'c'], null],
    ['everything before the parent', [children], [], tools, null],
    ['everything after a child', [children], [{ name: 'a' }, { name: 'b' }], tools, null],
    [
      'only the children again after a child failed',
      [children],
      [{ name: 'a' }, { name: 'b', failed: true }],
      ['b', 'c'],
      null,
    ],
    [
      'only what all of several rules allow',
      [children, { ...children, children: ['c', 'a'] }],
      [{ name: 'a' }],
      ['c'],
      'c',
    ],
    ['no child without its parent', [parent], [], ['a', 'c'], null],
    ['only the child directly after its parent', [parent], [{ name: 'a' }], ['b'], 'b'],
    ['a tool below its count limit', [twice], [{ name: 'b' }], tools, null],
    [
      'no tool at its count limit, counting failed calls',
      [twice],
      [{ name: 'b' }, { name: 'b', failed: true }],
      ['a', 'c'],
      null,
    ],
    ['the child mapped to a boolean output', [conditional()], [{ name: 'a', output: 'True' }], ['b'], 'b'],
    [
      'the child mapped to an output packed as JSON',
      [conditional()],
      [{ name: 'a', output: '{"status":"OK","message":"true","time":"t"}' }],
      ['b'],
      'b',
    ],
    ['the child mapped to a number', [conditional()], [{ name: 'a', output: '3.0' }], ['c'], 'c'],
    ['everything for an unmapped output', [conditional()], [{ name: 'a', output: 'maybe' }], tools, null],
    [
      'the default child for an unmapped output',
      [conditional({ defaultChild: 'c' })],
      [{ name: 'a', output: 'maybe' }],
      ['c'],
      'c',
    ],
    [
      'nothing for an unmapped output when a mapping is required',
      [conditional({ requireMapping: true })],
      [{ name: 'a', output: 'maybe' }],
      [],
      null,
    ],
    [
      'everything under rules that do not restrict calls',
      [
        { kind: 'exit_loop', tool: 'a' },
        { kind: 'continue_loop', tool: 'b' },
        { kind: 'required_before_exit', tool: 'c' },
        { kind: 'requires_approval', tool: 'a' },
      ],
      [{ name: 'b' }],
      tools,
      null,
    ],
  ])('allows %s', (_, rules, calls, names, forced) => {
    expect(allowedTools(rules, tools, calls)).toEqual({ names, forced });
  });

  it('does not force the only tool left by a count limit', () => {
    expect(
      allowedTools([{ kind: 'max_count_per_step', tool: 'a', limit: 1 }], ['a', 'b'], [{ name: 'a' }]),
    ).toEqual({
      names: ['b'],
      forced: null,
    });
  });
});

describe('prefilledArguments', () => {
  it.each<[string, PastCall[], string, unknown]>([
    ['the arguments of a run_first tool', [], 'a', { x: 1 }],
    ['none for a later call of the same tool', [{ name: 'c' }], 'a', null],
    ['the arguments of a child directly after its parent', [{ name: 'a' }], 'b', { y: 2 }],
    ['none for a child without arguments', [{ name: 'a' }], 'c', null],
    ['none for a child that does not follow its parent', [{ name: 'c' }], 'b', null],
  ])('returns %s', (_, calls, tool, expected) => {
    expect(prefilledArguments([first, children], calls, tool)).toEqual(expected);
  });
});

describe('[turn.tool-rules] rules about the end of a turn', () => {
  it('lists the required tools that were not called, without duplicates', () => {
    const rules: ToolRule[] = [
      { kind: 'required_before_exit', tool: 'a' },
      { kind: 'required_before_exit', tool: 'b' },
      { kind: 'required_before_exit', tool: 'b' },
    ];

    expect(missingBeforeExit(rules, [{ name: 'a', failed: true }])).toEqual(['b']);
  });

  it('finds the terminal tools and the tools that need approval', () => {
    const rules: ToolRule[] = [
      { kind: 'exit_loop', tool: 'a' },
      { kind: 'requires_approval', tool: 'b' },
    ];

    expect([...terminalTools(rules)]).toEqual(['a']);
    expect(needsApproval(rules, 'b')).toBe(true);
    expect(needsApproval(rules, 'a')).toBe(false);
  });
});

describe('the text about tool rules for the model', () => {
  it('names the valid tools after a violation', () => {
    expect(ruleViolation('d', tools)).toBe(
      '[ToolConstraintError] Cannot call d, valid tools include: [a, b, c]',
    );
  });

  it('describes every kind of rule', () => {
    const rules: ToolRule[] = [
      first,
      { kind: 'exit_loop', tool: 'send_message' },
      { kind: 'continue_loop', tool: 'b' },
      children,
      parent,
      conditional({ defaultChild: 'a' }),
      twice,
      { kind: 'required_before_exit', tool: 'c' },
      { kind: 'requires_approval', tool: 'c' },
    ];

    expect(describeRules(rules)).toMatchInlineSnapshot(`
     "- a must be your first tool call after you are woken.
     - send_message ends your turn; do everything else before it.
     - After b you always get another step.
     - Directly after a you must call one of: b, c.
     - b may only be called directly after a, and then one of them must be.
     - What a returns decides the tool you must call next. 3: c. true: b. Anything else: a.
     - b may be called at most 2 times in a turn.
     - c must be called before your turn can end.
     - c runs only after a person has approved the call."
    `);
    expect(describeRules([])).toBe('');
  });
});
