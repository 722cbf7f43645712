import { describe, expect, it } from '@jest/globals';
import { createAnswerBuilder } from '../../adapters/models/answer-builder.js';
import type { WireCompletion, WireDelta, WireToolCall } from '../../adapters/models/wire.js';

describe('[model.compatible] answers of almost compatible servers', () => {
  it.each<[string, readonly WireToolCall[]]>([
    [
      'fragments by index',
      [
        { index: 0, id: 'a', function: { name: 'one', arguments: '' } },
        { index: 0, function: { arguments: '{"x":' } },
        { index: 1, id: 'b', function: { name: 'two', arguments: '{' } },
        { index: 0, function: { arguments: '1}' } },
        { index: 1, function: { arguments: '}' } },
      ],
    ],
    [
      'whole calls without an index',
      [
        { id: 'a', function: { name: 'one', arguments: '{"x":1}' } },
        { id: 'b', function: { name: 'two', arguments: '{}' } },
      ],
    ],
    [
      'whole calls that all have index 0',
      [
        { index: 0, id: 'a', function: { name: 'one', arguments: '{"x":1}' } },
        { index: 0, id: 'b', function: { name: 'two', arguments: '{}' } },
      ],
    ],
    [
      'arguments as an object or absent',
      [
        { index: 0, id: 'a', function: { name: 'one', arguments: { x: 1 } } },
        { index: 1, id: 'b', function: { name: 'two' } },
      ],
    ],
    [
      'the name and id in every fragment',
      [
        { index: 0, id: 'a', function: { name: 'one', arguments: '{"x"' } },
        { index: 0, id: 'a', function: { name: 'one', arguments: ':1}' } },
        { index: 1, id: 'b', function: { name: 'two', arguments: '{}' } },
      ],
    ],
  ])('understands %s', (_, fragments) => {
    const answer = build(fragments.map((fragment) => chunk({ tool_calls: [fragment] })));

    expect(answer?.toolCalls).toEqual([
      { id: 'a', name: 'one', arguments: '{"x":1}' },
      { id: 'b', name: 'two', arguments: '{}' },
    ]);
    expect(answer?.finishReason).toBe('tool_calls');
  });

  it('creates an id for a call with no id or a repeated one', () => {
    const answer = build([
      chunk({ tool_calls: [{ index: 0, function: { name: 'one', arguments: '{}' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'x', function: { name: 'two', arguments: '{}' } }] }),
      chunk({ tool_calls: [{ index: 2, id: 'x', function: { name: 'three', arguments: '{}' } }] }),
    ]);

    const ids = answer!.toolCalls.map((call) => call.id);
    expect(ids[0]).toMatch(/^call_[0-9a-f]{32}$/);
    expect(ids[1]).toBe('x');
    expect(new Set(ids).size).toBe(3);
  });

  it('accepts a whole completion as well as chunks', () => {
    const answer = build([
      {
        choices: [{ message: { content: 'Hello', reasoning: 'greet' }, finish_reason: 'stop' }],
        usage: {
          prompt_tokens: 100,
          completion_tokens: 20,
          prompt_tokens_details: { cached_tokens: 64 },
          completion_tokens_details: { reasoning_tokens: 15 },
        },
      },
    ]);

    expect(answer).toEqual({
      text: 'Hello',
      reasoning: 'greet',
      toolCalls: [],
      finishReason: 'stop',
      usage: {
        promptTokens: 100,
        completionTokens: 20,
        totalTokens: 120,
        cachedTokens: 64,
        reasoningTokens: 15,
      },
    });
  });

  it.each<[string, WireDelta, string, string]>([
    ['DeepSeek’s reasoning', { reasoning_content: 'hm' }, '', 'hm'],
    ['OpenRouter’s reasoning', { reasoning: 'hm' }, '', 'hm'],
    ['text in parts', { content: [{ type: 'text', text: 'a' }, { text: 'b' }] }, 'ab', ''],
    ['a refusal', { content: null, refusal: 'No.' }, 'No.', ''],
  ])('reads %s', (_, delta, text, reasoning) => {
    expect(build([chunk(delta)])).toMatchObject({ text, reasoning });
  });

  it('is incomplete without a finish reason', () => {
    const builder = createAnswerBuilder(() => undefined);
    builder.add(chunk({ content: 'half a sen' }));

    expect(builder.finish()).toBeUndefined();
  });
});

function chunk(delta: WireDelta): WireCompletion {
  return { choices: [{ delta }] };
}

function build(completions: readonly WireCompletion[]) {
  const builder = createAnswerBuilder(() => undefined);
  for (const completion of completions) builder.add(completion);
  if (!completions.some(({ choices }) => choices?.[0]?.finish_reason != null)) {
    builder.add({ choices: [{ delta: {}, finish_reason: 'stop' }] });
  }
  return builder.finish();
}
