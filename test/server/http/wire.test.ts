import { describe, expect, it } from '@jest/globals';
import type { ToolRule } from '../../../core/agents/tool-rules.js';
import { toSse, withKeepAlive } from '../../../server/streams/sse.js';
import {
  defaultAgentType,
  generationOf,
  identifyCaller,
} from '../../../server/http/client-generation-wire.js';
import { cutPage } from '../../../server/http/list-pages.js';
import { wireMessage } from '../../../server/threads/message-shapes-wire.js';
import { toReplyMessages, toWireMessages } from '../../../server/threads/messages-wire.js';
import { toRendering } from '../../../server/threads/rendering-wire.js';
import { hashRequest, requestKeyOf } from '../../../server/http/idempotency.js';
import { fromWireToolRule, toWireToolRule, wireToolRule } from '../../../server/agents/tool-rules-wire.js';
import { aStoredMessage } from '../stored-message.js';

const memgpt = toRendering({ agentType: 'memgpt_agent', timezone: 'UTC', toolRules: [] }, {}, []);

describe('messages on the wire', () => {
  it('[rest.messages] represent one stored message as several, each with its own otid', () => {
    const message = aStoredMessage({
      kind: 'assistant',
      text: '',
      reasoning: 'Greet, and note the name.',
      nativeReasoning: false,
      toolCalls: [
        { id: 'c1', name: 'send_message', arguments: '{"message":"Hi"}' },
        { id: 'c2', name: 'core_memory_append', arguments: '{"label":"human"}' },
      ],
    });
    const shown = toWireMessages(message, memgpt);

    expect(shown.map((one) => wireMessage.parse(one))).toEqual(shown);
    expect(shown).toMatchObject([
      { message_type: 'reasoning_message', otid: '00000000-0000-4000-8000-000000000000' },
      { message_type: 'assistant_message', content: 'Hi', otid: '00000000-0000-4000-8000-000000000001' },
      {
        message_type: 'tool_call_message',
        tool_call: { name: 'core_memory_append', arguments: '{"label":"human"}', tool_call_id: 'c2' },
        otid: '00000000-0000-4000-8000-000000000002',
      },
    ]);
    expect(new Set(shown.map((one) => one.id)).size).toBe(1);
  });

  it('[wire.parallel-calls] show all calls of an answer as one message, and all their results as one', () => {
    const call = (id: string) => ({ id, name: 'roll_dice', arguments: `{"sides":${id.length}}` });
    const answer = aStoredMessage({
      kind: 'assistant',
      ...{ text: '', reasoning: '', nativeReasoning: false },
      toolCalls: [call('c1'), call('c2'), call('c3')],
      awaited: ['c3'],
    });
    const result = (toolCallId: string) =>
      aStoredMessage(
        { kind: 'tool', toolCallId, toolName: 'roll_dice', status: 'success', content: '4' },
        { id: `message-${toolCallId}` },
      );
    const shown = toReplyMessages([answer, result('c1'), result('c2')], memgpt);

    expect(shown.map((one) => wireMessage.parse(one))).toEqual(shown);
    expect(shown).toMatchObject([
      {
        message_type: 'tool_call_message',
        tool_call: { tool_call_id: 'c1' },
        tool_calls: [{ tool_call_id: 'c1' }, { tool_call_id: 'c2' }],
      },
      { message_type: 'approval_request_message', tool_calls: [{ tool_call_id: 'c3' }] },
      {
        message_type: 'tool_return_message',
        id: 'message-c1',
        tool_call_id: 'c1',
        tool_returns: [{ tool_call_id: 'c1' }, { tool_call_id: 'c2' }],
      },
    ]);
    expect(toWireMessages(result('c2'), memgpt, [result('c1'), result('c2')])).toEqual([]);
  });

  it('include a failed result of a speaking call', () => {
    const failed = aStoredMessage({
      kind: 'tool',
      toolCallId: 'c1',
      toolName: 'send_message',
      status: 'error',
      content: 'message is missing',
    });

    expect(toWireMessages(failed, memgpt)).toMatchObject([
      {
        message_type: 'tool_return_message',
        name: 'send_message',
        status: 'error',
        tool_return: 'message is missing',
      },
    ]);
  });

  it('show images in their original form, the sender’s otid, and heartbeats as Letta does', () => {
    const image = aStoredMessage(
      {
        kind: 'user',
        name: 'bob',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', url: 'data:image/png;base64,AAAA' },
          { type: 'image', url: 'https://example.com/a.png' },
        ],
      },
      { otid: 'mine' },
    );

    expect(toWireMessages(image, memgpt)).toMatchObject([
      {
        otid: 'mine',
        name: 'bob',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        ],
      },
    ]);
    expect(toWireMessages(aStoredMessage({ kind: 'heartbeat', reason: 'asked' }), memgpt)).toMatchObject([
      {
        message_type: 'user_message',
        content: '{"type":"heartbeat","reason":"asked","time":"2026-01-31 12:00:00 PM UTC+0000"}',
      },
    ]);
  });

  it('contain only what the turn produced, filtered by type', () => {
    const said = aStoredMessage({
      kind: 'assistant',
      text: 'Hi',
      reasoning: '',
      nativeReasoning: false,
      toolCalls: [],
    });
    const native = toRendering(
      { agentType: 'letta_v1_agent', timezone: 'UTC', toolRules: [] },
      { include_return_message_types: ['assistant_message'] },
      [],
    );
    const heard = aStoredMessage(
      { kind: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { stepId: null },
    );
    const put = aStoredMessage(said.body, { stepId: null });

    expect(toReplyMessages([heard, put, said], native)).toMatchObject([{ content: 'Hi' }]);
    expect(toReplyMessages([said], { ...native, types: new Set(['tool_call_message']) })).toEqual([]);
  });
});

describe('tool rules on the wire', () => {
  const rules: readonly ToolRule[] = [
    { kind: 'run_first', tool: 'a', args: { x: 1 } },
    { kind: 'run_first', tool: 'a' },
    { kind: 'exit_loop', tool: 'a' },
    { kind: 'continue_loop', tool: 'a' },
    { kind: 'constrain_child_tools', tool: 'a', children: ['b'], childArguments: { b: { y: 2 } } },
    { kind: 'constrain_child_tools', tool: 'a', children: ['b'] },
    { kind: 'parent_last_tool', tool: 'a', children: ['b'] },
    {
      kind: 'conditional',
      tool: 'a',
      childByOutput: { true: 'b' },
      defaultChild: null,
      requireMapping: true,
    },
    { kind: 'max_count_per_step', tool: 'a', limit: 3 },
    { kind: 'required_before_exit', tool: 'a' },
    { kind: 'requires_approval', tool: 'a' },
  ];

  it.each(rules.map((rule) => [rule.kind, rule] as const))('keep %s unchanged', (_kind, rule) => {
    expect(fromWireToolRule(wireToolRule.parse(toWireToolRule(rule)))).toEqual(rule);
  });
});

describe('identifyCaller', () => {
  it.each([
    ['the Python client 0.1', { 'x-fern-sdk-version': '0.1.172' }, '0.1', 'memgpt_agent'],
    ['the npm client 0.1', { 'user-agent': '@letta-ai/letta-client/0.1.132' }, '0.1', 'memgpt_agent'],
    ['a 1.x client', { 'x-stainless-package-version': '1.12.1' }, '1', 'letta_v1_agent'],
    ['curl', { 'user-agent': 'curl/8' }, 'unknown', 'memgpt_agent'],
  ] as const)('[memory.agent-type] recognises %s', (_who, headers, generation, agentType) => {
    const caller = identifyCaller(headers);

    expect(caller.generation).toBe(generation);
    expect(defaultAgentType(caller)).toBe(agentType);
    expect(generationOf(caller)).toBe(generation === '1' ? '1' : '0.1');
  });

  it.each([
    ['a first try', {}, 0],
    ['a second retry after timeouts of a minute', { 'x-stainless-retry-count': '2' }, 140_000],
    [
      'a retry of a patient client',
      { 'x-stainless-retry-count': '1', 'x-stainless-timeout': '600' },
      610_000,
    ],
    [
      'a retry with an invalid timeout',
      { 'x-stainless-retry-count': '1', 'x-stainless-timeout': 'soon' },
      70_000,
    ],
  ])('[turn.join-window] computes the age limit of %s', (_what, headers, ago) => {
    const caller = identifyCaller({ 'x-stainless-package-version': '1.12.1', ...headers });

    expect(caller.firstSentWithinMs).toBe(ago);
  });
});

describe('the identity of a request', () => {
  it('is its idempotency key, or else the otids of all its messages', () => {
    const without = { headers: {} };
    const keyOf = (...otids: string[]) =>
      requestKeyOf(without, { messages: otids.map((otid) => ({ otid })) });

    expect(requestKeyOf({ headers: { 'idempotency-key': 'k' } }, { messages: [{ otid: 'a' }] })).toBe(
      'key:k',
    );
    expect(keyOf('a')).toBe(keyOf('a'));
    expect(keyOf('a')).not.toBe(keyOf('b'));
    expect(requestKeyOf(without, { messages: [{ otid: 'a' }, {}] })).toBeUndefined();
  });

  it('covers the path and the body but not the order of fields', () => {
    expect(hashRequest('/a', { x: 1, y: [{ b: 1, a: 2 }] })).toBe(
      hashRequest('/a', { y: [{ a: 2, b: 1 }], x: 1 }),
    );
    expect(hashRequest('/a', { x: 1 })).not.toBe(hashRequest('/b', { x: 1 }));
    expect(hashRequest('/a', { x: [1, 2] })).not.toBe(hashRequest('/a', { x: [2, 1] }));
  });
});

describe('a page of a short list', () => {
  const list = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
  const cut = (page: Parameters<typeof cutPage>[1]): string =>
    cutPage(list, page)
      .map(({ id }) => id)
      .join('');

  it.each([
    [{ order: 'asc', limit: 2 }, 'ab'],
    [{ order: 'desc', limit: 2 }, 'dc'],
    [{ order: 'asc', after: 'b', limit: 1 }, 'c'],
    [{ order: 'asc', before: 'd', limit: 2 }, 'bc'],
    [{ order: 'desc', after: 'c', limit: 9 }, 'ba'],
    [{ order: 'asc', after: 'd', limit: 9 }, ''],
    [{ order: 'asc', after: 'x', limit: 9 }, ''],
  ] as const)('[rest.paging] of %j is %s', (page, expected) => {
    expect(cut(page)).toBe(expected);
  });
});

describe('server-sent events', () => {
  it('put any text on one line of JSON', () => {
    expect(toSse({ text: 'a\n\nb' })).toBe('data: {"text":"a\\n\\nb"}\n\n');
    expect(toSse({}, 'error')).toBe('event: error\ndata: {}\n\n');
  });

  it('keep the connection alive while the source is silent, and end with the source', async () => {
    let speak: () => void = () => undefined;
    const silence = new Promise<void>((resolve) => {
      speak = resolve;
    });
    async function* source(): AsyncGenerator<string> {
      yield 'first';
      await silence;
      yield 'last';
    }
    const seen: string[] = [];
    for await (const line of withKeepAlive(source(), () => 'alive', 1)) {
      seen.push(line);
      if (line === 'alive') speak();
    }

    expect([seen[0], seen[1], seen.at(-1)]).toEqual(['first', 'alive', 'last']);
  });
});
