import { describe, expect, it } from '@jest/globals';
import type { LoggedEvent, StreamFragment, TurnEvent } from '../../../core/turns/events.js';
import type { Message, MessageBody } from '../../../core/threads/messages.js';
import { noUsage } from '../../../core/models/usage.js';
import { type Chunk, renderEvent, streamStart } from '../../../server/streams/chunks-wire.js';
import { toRendering } from '../../../server/threads/rendering-wire.js';

const turnId = 'run-00000000-0000-4000-8000-000000000001';
const answerId = 'message-00000000-0000-4000-8000-0000000000a0';
const resultId = 'message-00000000-0000-4000-8000-0000000000b0';
const at = new Date('2026-01-31T12:00:00Z');

const memgpt = toRendering({ agentType: 'memgpt_agent', timezone: 'UTC', toolRules: [] }, {}, []);
const native = toRendering({ agentType: 'letta_v1_agent', timezone: 'UTC', toolRules: [] }, {}, []);

function aMessage(id: string, body: MessageBody): Message {
  return {
    id,
    agentId: 'agent-1',
    threadId: 'agent-1',
    turnId,
    stepId: 'step-1',
    position: 1,
    createdAt: at,
    otid: null,
    senderId: null,
    body,
  };
}

function anAnswer(fields: Partial<Extract<MessageBody, { kind: 'assistant' }>>): Message {
  return aMessage(answerId, {
    kind: 'assistant',
    text: '',
    reasoning: '',
    nativeReasoning: false,
    toolCalls: [],
    ...fields,
  });
}

function aDelta(delta: StreamFragment, messageId = answerId, attempt = 1): TurnEvent {
  return { kind: 'delta', stepId: 'step-1', attempt, messageId, delta };
}

function render(
  events: readonly TurnEvent[],
  options: { rendering?: typeof memgpt; messages?: readonly Message[]; showsTokens?: boolean } = {},
): Chunk[] {
  const { rendering = memgpt, messages = [], showsTokens = true } = options;
  let state = streamStart;
  return events.flatMap((event, index) => {
    const logged: LoggedEvent = { turnId, seq: index + 1, event };
    const message = event.kind === 'message' ? messages.find((one) => one.id === event.messageId) : undefined;
    const rendered = renderEvent(state, logged, { rendering, showsTokens }, { message, at });
    state = rendered.state;
    return rendered.chunks;
  });
}

const speech = [
  aDelta({ kind: 'tool_call', index: 0, id: 'c1', name: 'send_message' }),
  aDelta({ kind: 'tool_call', index: 0, arguments: '{"thinking": "A gree' }),
  aDelta({ kind: 'tool_call', index: 0, arguments: 'ting.", "message": "Hi ' }),
  aDelta({ kind: 'tool_call', index: 0, arguments: 'Bob\\u0021"}' }),
];
const spoken = anAnswer({
  reasoning: 'A greeting.',
  toolCalls: [{ id: 'c1', name: 'send_message', arguments: '{"message": "Hi Bob!"}' }],
});

describe('the stream of a MemGPT agent', () => {
  it('[rest.stream] shows thinking and speech as they arrive, under the stored message’s id and otids', () => {
    const chunks = render([...speech, { kind: 'message', messageId: answerId, streamed: true }], {
      messages: [spoken],
    });

    expect(chunks.map((chunk) => chunk.body)).toMatchObject([
      { message_type: 'reasoning_message', reasoning: 'A gree', source: 'non_reasoner_model', id: answerId },
      { message_type: 'reasoning_message', reasoning: 'ting.', otid: expect.stringMatching(/00$/) },
      { message_type: 'assistant_message', content: 'Hi ', otid: expect.stringMatching(/01$/) },
      { message_type: 'assistant_message', content: 'Bob!', run_id: turnId, step_id: 'step-1' },
    ]);
  });

  it('shows other calls without their thinking, and the tool’s name once', () => {
    const chunks = render([
      aDelta({ kind: 'tool_call', index: 0, id: 'c1', name: 'core_memory_append' }),
      aDelta({ kind: 'tool_call', index: 0, arguments: '{"thinking":"Note it.","label":' }),
      aDelta({ kind: 'tool_call', index: 0, arguments: '"human","content":"Bo' }),
      aDelta({ kind: 'tool_call', index: 0, arguments: 'b","request_heartbeat":true}' }),
    ]);
    const calls = chunks.flatMap(({ body }) =>
      body.message_type === 'tool_call_message' ? [body.tool_call] : [],
    );

    expect(chunks[0]?.body).toMatchObject({ message_type: 'reasoning_message', reasoning: 'Note it.' });
    expect(calls.map((call) => call.name)).toEqual(['core_memory_append', null, null]);
    expect(calls.map((call) => call.tool_call_id)).toEqual(['c1', 'c1', 'c1']);
    expect(JSON.parse(calls.map((call) => call.arguments).join(''))).toEqual({
      label: 'human',
      content: 'Bob',
      request_heartbeat: true,
    });
  });

  it('shows a call without arguments', () => {
    const chunks = render([
      aDelta({ kind: 'tool_call', index: 0, id: 'c1', name: 'memory_finish_edits' }),
      aDelta({ kind: 'tool_call', index: 0, arguments: '{"thinking":"Done."}' }),
    ]);

    expect(chunks[1]?.body).toMatchObject({
      tool_call: { name: 'memory_finish_edits', arguments: '{}', tool_call_id: 'c1' },
    });
  });

  it('shows a speaking call whose text could not be streamed when it is stored', () => {
    const broken = anAnswer({
      toolCalls: [{ id: 'c1', name: 'send_message', arguments: '{"text": "Hi"}' }],
    });
    const chunks = render(
      [
        aDelta({ kind: 'tool_call', index: 0, id: 'c1', name: 'send_message' }),
        aDelta({ kind: 'tool_call', index: 0, arguments: '{"text": "Hi"}' }),
        { kind: 'message', messageId: answerId, streamed: true },
      ],
      { messages: [broken] },
    );

    expect(chunks.map((chunk) => chunk.body)).toMatchObject([
      { message_type: 'tool_call_message', tool_call: { name: 'send_message', arguments: '{"text": "Hi"}' } },
    ]);
  });

  it('shows whole messages without token streaming, and hides the result of speaking', () => {
    const sent = aMessage(resultId, {
      kind: 'tool',
      toolCallId: 'c1',
      toolName: 'send_message',
      status: 'success',
      content: 'Sent.',
    });
    const chunks = render(
      [
        ...speech,
        { kind: 'message', messageId: answerId, streamed: true },
        { kind: 'message', messageId: resultId, streamed: false },
      ],
      { messages: [spoken, sent], showsTokens: false },
    );

    expect(chunks.map((chunk) => chunk.body)).toMatchObject([
      { message_type: 'reasoning_message', reasoning: 'A greeting.' },
      { message_type: 'assistant_message', content: 'Hi Bob!' },
    ]);
  });

  it('shows the call itself to a client that wants no assistant messages', () => {
    const rendering = toRendering(
      { agentType: 'memgpt_agent', timezone: 'UTC', toolRules: [] },
      { use_assistant_message: false },
      [],
    );
    const chunks = render(speech, { rendering });
    const text = chunks
      .flatMap(({ body }) => (body.message_type === 'tool_call_message' ? [body.tool_call.arguments] : []))
      .join('');

    expect(JSON.parse(text)).toEqual({ message: 'Hi Bob!' });
  });

  describe('[turn.void-fragments] an abandoned attempt', () => {
    const second = 'message-00000000-0000-4000-8000-0000000000a1';
    const abandoned: TurnEvent = {
      ...{ kind: 'attempt_abandoned', stepId: 'step-1', attempt: 1, messageId: answerId },
    };
    const retrying: TurnEvent = {
      ...{
        kind: 'retrying',
        stepId: 'step-1',
        attempt: 1,
        failure: 'Model.Unavailable',
        message: 'Broke off.',
      },
    };
    const again = [
      aDelta({ kind: 'tool_call', index: 0, id: 'c2', name: 'send_message' }, second, 2),
      aDelta({ kind: 'tool_call', index: 0, arguments: '{"message": "Again"}' }, second, 2),
    ];
    const told = (chunks: readonly Chunk[]): unknown[] =>
      chunks.flatMap(({ body }) => ('abandoned_message_id' in body ? [body.abandoned_message_id] : []));

    it.each<[string, readonly TurnEvent[]]>([
      ['when it fails', [retrying, ...again]],
      ['when the next attempt begins', [abandoned, ...again]],
      ['once', [retrying, abandoned, ...again]],
      ['without an event in the log', again],
      ['even if it writes after its end', [retrying, ...speech.slice(3), abandoned, ...again]],
    ])('is withdrawn before the next attempt shows anything: %s', (_, events) => {
      const chunks = render([...speech.slice(0, 3), ...events]);
      const place = chunks.findIndex(({ body }) => 'abandoned_message_id' in body);

      expect(told(chunks)).toEqual([answerId]);
      expect(chunks[place]?.body).toMatchObject({ message_type: 'system_message', run_id: turnId });
      expect(chunks.slice(place + 1).map(({ body }) => body)).toMatchObject([
        { id: second, content: 'Again', otid: expect.stringMatching(/00$/) },
      ]);
    });

    it('is withdrawn even if no other attempt follows', () => {
      const end: TurnEvent = { kind: 'ended', stopReason: 'cancelled', usage: noUsage, steps: 0 };
      const chunks = render([...speech.slice(0, 3), end]);

      expect(chunks.slice(-3).map(({ body }) => body.message_type)).toEqual([
        ...['system_message', 'stop_reason', 'usage_statistics'],
      ]);
      expect(told(chunks)).toEqual([answerId]);
    });

    it('is withdrawn before an answer that arrives whole', () => {
      const whole = { ...spoken, id: second };
      const chunks = render(
        [...speech.slice(0, 3), { kind: 'message', messageId: second, streamed: false }],
        { messages: [whole] },
      );

      expect(told(chunks)).toEqual([answerId]);
      expect(chunks.at(-1)?.body).toMatchObject({ id: second, content: 'Hi Bob!' });
    });

    it.each<[string, readonly TurnEvent[]]>([
      [
        'nothing was shown',
        [aDelta({ kind: 'tool_call', index: 0, id: 'c1', name: 'send_message' }), abandoned, ...again],
      ],
      ['it was stored', [...speech, { kind: 'message', messageId: answerId, streamed: true }, ...again]],
      ['an earlier attempt is reported late', [abandoned, ...again, retrying]],
    ])('is not withdrawn if %s', (_, events) => {
      expect(told(render(events, { messages: [spoken] }))).toEqual([]);
    });

    it('is not mentioned to a client that was shown nothing', () => {
      const rendering = { ...memgpt, types: new Set(['tool_return_message']) };

      expect(render([...speech, abandoned], { rendering })).toEqual([]);
    });

    it('has the same sequence numbers on every read', () => {
      const events = [...speech.slice(0, 3), retrying, abandoned, ...again];

      expect(render(events).map(({ seqId }) => seqId)).toEqual(
        [...new Set(render(events).map(({ seqId }) => seqId))].sort((a, b) => a - b),
      );
      expect(render(events)).toEqual(render(events));
    });
  });
});

describe('the stream of an agent with native tool calls', () => {
  it('shows text as an assistant message and reasoning as the model’s own', () => {
    const chunks = render(
      [
        aDelta({ kind: 'reasoning', text: 'Hm.' }),
        aDelta({ kind: 'text', text: 'Hi ' }),
        aDelta({ kind: 'text', text: 'Bob!' }),
        { kind: 'message', messageId: answerId, streamed: true },
        { kind: 'ended', stopReason: 'end_turn', usage: noUsage, steps: 1 },
      ],
      {
        rendering: native,
        messages: [anAnswer({ reasoning: 'Hm.', nativeReasoning: true, text: 'Hi Bob!' })],
      },
    );

    expect(chunks.map((chunk) => chunk.body)).toMatchObject([
      { message_type: 'reasoning_message', reasoning: 'Hm.', source: 'reasoner_model' },
      { message_type: 'assistant_message', content: 'Hi ' },
      { message_type: 'assistant_message', content: 'Bob!' },
      { message_type: 'stop_reason', stop_reason: 'end_turn' },
      { message_type: 'usage_statistics', step_count: 1, run_ids: [turnId] },
    ]);
  });

  it('shows a call’s arguments as written, even one named thinking', () => {
    const chunks = render(
      [
        aDelta({ kind: 'tool_call', index: 0, id: 'c1', name: 'ponder' }),
        aDelta({ kind: 'tool_call', index: 0, arguments: '{ "thinking"' }),
        aDelta({ kind: 'tool_call', index: 0, arguments: ': 1}' }),
      ],
      { rendering: native },
    );

    expect(
      chunks
        .map(({ body }) => (body.message_type === 'tool_call_message' ? body.tool_call.arguments : ''))
        .join(''),
    ).toBe('{ "thinking": 1}');
  });
});

describe('the end of a stream', () => {
  it('reports why a run failed', () => {
    const chunks = render([
      {
        kind: 'ended',
        stopReason: 'llm_api_error',
        usage: noUsage,
        steps: 1,
        error: { type: 'Model.Unauthorized', message: 'Check OPENAI_API_KEY.' },
      },
    ]);

    expect(chunks.map((chunk) => chunk.body)).toEqual([
      { message_type: 'stop_reason', stop_reason: 'llm_api_error' },
      {
        message_type: 'error_message',
        run_id: turnId,
        error_type: 'Model.Unauthorized',
        message: 'Check OPENAI_API_KEY.',
        detail: 'Check OPENAI_API_KEY.',
      },
    ]);
  });

  it('reports evictions only to clients that ask for them', () => {
    const evicted: TurnEvent = { kind: 'evicted', messages: 9, tokensBefore: 900, tokensAfter: 300 };
    const rendering = { ...memgpt, showsCompaction: true };

    expect(render([evicted])).toEqual([]);
    expect(render([evicted], { rendering })[0]?.body).toMatchObject({
      message_type: 'event_message',
      event_type: 'compaction',
      event_data: { messages_evicted: 9, context_tokens_before: 900, context_tokens_after: 300 },
    });
  });

  it('[rest.resume-stream] gives every chunk a unique, increasing number that is the same for every reader', () => {
    const events: TurnEvent[] = [
      ...speech,
      { kind: 'message', messageId: answerId, streamed: true },
      { kind: 'ended', stopReason: 'end_turn', usage: noUsage, steps: 1 },
    ];
    const numbers = render(events, { messages: [spoken] }).map((chunk) => chunk.seqId);

    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(render(events, { messages: [spoken] }).map((chunk) => chunk.seqId)).toEqual(numbers);
  });
});
