import { describe, expect, it } from '@jest/globals';
import { readAnswer } from '../../../activities/turns/read-answer.js';
import { usualCompaction } from '../../../core/threads/compaction.js';
import type { PastCall, ToolRule } from '../../../core/agents/tool-rules.js';
import type { LoopAgent } from '../../../schema/threads/loop-agent.js';

const toolNames = ['a', 'b', 'c'];

function anAgent(toolRules: readonly ToolRule[]): LoopAgent {
  return {
    ...{
      id: 'agent-1',
      agentType: 'letta_v1_agent',
      system: '',
      model: 'test/model',
      embedding: 'test/model',
    },
    ...{
      contextWindow: null,
      modelSettings: {},
      toolRules,
      timezone: 'UTC',
      extension: null,
      filesMark: null,
      compaction: usualCompaction,
    },
    tools: toolNames.map((name) => ({
      name,
      toolType: 'custom',
      schema: {
        name,
        description: '',
        parameters: { type: 'object', properties: { n: { type: 'number' } }, required: [] },
      },
      returnLimit: 1_000,
    })),
  };
}

/** The outcome of each call in one answer: its refusal, or `runs`. `!` after a name: with invalid arguments. */
async function judged(rules: readonly ToolRule[], names: string, calls: readonly PastCall[] = []) {
  const toolCalls = names.split(' ').map((name, index) => ({
    id: `call_${index}`,
    name: name.replace('!', ''),
    arguments: name.endsWith('!') ? '{"n":"many"}' : '{"n":1}',
  }));
  const input = {
    ...{ threadId: 'agent-1', turnId: 'run-1', agentId: 'agent-1', index: 0, reason: null },
    ...{ mustFit: false, maxSteps: 50, badAnswers: 0 },
  };
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2, cachedTokens: 0, reasoningTokens: 0 };
  const answer = { text: '', reasoning: '', toolCalls, finishReason: 'tool_calls' as const, usage };
  const read = await readAnswer(answer, {
    input,
    messageId: 'message-1',
    agent: anAgent(rules),
    toolNames,
    calls,
  });
  return read.effects.map((effect) => effect.refusal ?? 'runs').join(' ');
}

const once: ToolRule = { kind: 'max_count_per_step', tool: 'a', limit: 1 };
const firstA: ToolRule = { kind: 'run_first', tool: 'a' };
const childB: ToolRule = { kind: 'constrain_child_tools', tool: 'a', children: ['b'] };
const byOutput: ToolRule = {
  ...{ kind: 'conditional', tool: 'a', childByOutput: { yes: 'b' } },
  ...{ defaultChild: 'c', requireMapping: false },
};

describe('[turn.tool-rules] the calls of one answer', () => {
  it.each<[string, readonly ToolRule[], string, string, PastCall[]]>([
    ['all run without rules', [], 'a a b', 'runs runs runs', []],
    ['run as often as a count limit allows', [once], 'a a b a', 'runs rule runs rule', []],
    ['count together with those of earlier steps', [once], 'b a', 'runs rule', [{ name: 'a', output: '' }]],
    ['run only after the run_first tool', [firstA], 'b a b', 'rule runs runs', []],
    ['run after their parent if they are its children', [childB], 'a c b c', 'runs rule runs runs', []],
    ['count even when refused', [once], 'a! a', 'arguments rule', []],
    ['leave the rules unchanged when refused', [firstA], 'a! b a', 'arguments rule runs', []],
    ['do not run when the deciding output is still missing', [byOutput], 'a b c', 'runs rule rule', []],
    ['run when the deciding output is known', [byOutput], 'b', 'runs', [{ name: 'a', output: 'yes' }]],
  ])('%s', async (_, rules, names, expected, calls) => {
    expect(await judged(rules, names, calls)).toBe(expected);
  });
});
