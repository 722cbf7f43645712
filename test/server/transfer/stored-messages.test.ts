import { describe, expect, it } from '@jest/globals';
import type { MessageBody } from '../../../core/threads/messages.js';
import { fileMessage, fromFileMessages } from '../../../server/transfer/agent-file/message-reading.js';
import { messageBodySchema } from '../../../server/transfer/agent-file/stored-shapes.js';
import { toStoredMessage } from '../../../server/threads/stored-message-wire.js';
import { isSaidWhole } from '../../../server/transfer/agent-file/transcript-writing.js';
import { toFileVector, fileVector } from '../../../server/transfer/agent-file/vectors.js';

const now = new Date('2026-01-01T00:00:00Z');
const ids = { id: 'message-0', agentId: 'agent-0', senderId: null };
const text = (said: string) => [{ type: 'text' as const, text: said }];
const answer: Extract<MessageBody, { kind: 'assistant' }> = {
  kind: 'assistant',
  text: '',
  reasoning: 'Hm.',
  nativeReasoning: false,
  toolCalls: [{ id: 'c1', name: 'add', arguments: '{"a":1}' }],
};

function written(body: MessageBody) {
  return toStoredMessage({ createdAt: now, otid: null, senderId: null, body }, ids);
}

function read(entries: readonly object[], style: 'tools' | 'native' = 'tools'): readonly MessageBody[] {
  return fromFileMessages(
    entries.map((entry) => fileMessage.parse(entry)),
    { style, now },
  ).flatMap((messages) => messages.map((message) => message.body));
}

describe('messages in Letta’s format', () => {
  it.each<[string, MessageBody]>([
    ['a user message', { kind: 'user', content: text('Hello.'), name: 'Bob' }],
    [
      'a user message with an image',
      { kind: 'user', content: [...text('Look'), { type: 'image', url: 'data:image/png;base64,AA==' }] },
    ],
    ['an alert', { kind: 'system', content: text('Low battery.') }],
    ['an answer with a call', answer],
    ['an answer with native reasoning', { ...answer, nativeReasoning: true, text: 'Said.', toolCalls: [] }],
    [
      'a tool result',
      { kind: 'tool', toolCallId: 'c1', toolName: 'add', status: 'error', content: 'No.', stderr: ['x'] },
    ],
    ['a heartbeat', { kind: 'heartbeat', reason: 'Go on.' }],
    [
      'an approval decision',
      { kind: 'approval', decisions: [{ kind: 'denied', toolCallId: 'c1', reason: 'no' }] },
    ],
  ])('[agentfile.whole] represent %s completely', (_what, body) => {
    expect(read([written(body)])).toEqual([body]);
    expect(isSaidWhole(body, written(body), 'tools')).toBe(true);
  });

  it.each<[string, MessageBody]>([
    ['a notice', { kind: 'notice', text: 'Changed.' }],
    [
      'a user message that looks packed',
      { kind: 'user', content: text('{"type":"user_message","message":"x"}') },
    ],
    [
      'a tool result that looks packed',
      {
        kind: 'tool',
        toolCallId: 'c',
        toolName: 'f',
        status: 'success',
        content: '{"status":"OK","message":"x"}',
      },
    ],
    ['an answer with calls that waited for approval', { ...answer, awaited: ['c1'] }],
    ['text beside a call', { ...answer, reasoning: '', text: 'Aloud.' }],
    ['spoken text', { ...answer, text: 'Aloud.', spoken: true, toolCalls: [] }],
  ])('[agentfile.whole] represent %s incompletely, which is detected', (_what, body) => {
    expect(isSaidWhole(body, written(body), 'tools')).toBe(false);
    expect(messageBodySchema.parse(body)).toEqual(body);
  });

  it('[agentfile.letta] hold text beside calls as thinking of a MemGPT agent or as text of a native one', () => {
    const entry = {
      role: 'assistant',
      content: text('Hm.'),
      tool_calls: [{ id: 'c1', function: { name: 'add', arguments: '{"a":1}' } }],
    };

    expect(read([entry])).toEqual([answer]);
    expect(read([entry], 'native')).toEqual([{ ...answer, text: 'Hm.', reasoning: '' }]);
  });

  it('[agentfile.letta] hold the results of parallel calls in one message', () => {
    const calls = ['a', 'b'].map((name) => ({ id: `call-${name}`, function: { name, arguments: '{}' } }));
    const returns = ['a', 'b'].map((name) => ({
      tool_call_id: `call-${name}`,
      status: 'success',
      func_response: `of ${name}`,
    }));

    expect(
      read([
        { role: 'assistant', tool_calls: calls },
        { role: 'tool', name: 'a', tool_returns: returns },
      ]).slice(1),
    ).toEqual(
      ['a', 'b'].map((name) => ({
        kind: 'tool',
        toolCallId: `call-${name}`,
        toolName: name,
        status: 'success',
        content: `of ${name}`,
      })),
    );
  });

  it('[agentfile.letta] unpack a tool’s result and whether it failed', () => {
    const packed = (status: string) => [
      {
        role: 'tool',
        tool_call_id: 'c',
        name: 'f',
        content: `{"status":"${status}","message":"x","time":"now"}`,
      },
    ];

    expect(read(packed('OK'))).toMatchObject([{ status: 'success', content: 'x' }]);
    expect(read(packed('Failed'))).toMatchObject([{ status: 'error', content: 'x' }]);
  });

  it('[agentfile.letta] decide on all calls of the previous answer if they name none', () => {
    const request = {
      role: 'approval',
      tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{}' } }],
    };

    expect(read([request, { role: 'approval', approve: true }])[1]).toEqual({
      kind: 'approval',
      decisions: [{ kind: 'approved', toolCallId: 'c1', reason: null }],
    });
  });
});

it('[agentfile.whole] vectors keep their 32-bit floats in a file', () => {
  const vector = [0.1, -0.25, 1e-8].map(Math.fround);

  expect(fileVector.parse(toFileVector(vector))).toEqual(vector);
});
