import { describe, expect, it } from '@jest/globals';
import { createUiWriter } from '../../../server/ai-sdk/ui-chunks-wire.js';
import type { Chunk } from '../../../server/streams/chunks-wire.js';

const nothing = { ids: new Set<string>(), denied: new Set<string>() };
const common = {
  ...{ date: '2026-01-01T00:00:00Z', name: null, sender_id: null, is_err: null, seq_id: null },
  ...{ run_id: 'run-1', step_id: 'step-1' },
};
const words = (id: string, content: string): Chunk['body'] => ({
  ...{ ...common, id, otid: `${id}-0` },
  ...{ message_type: 'assistant_message', content },
});
const call = (id: string, name: string | null, args: string): Chunk['body'] => {
  const part = { name, arguments: args, tool_call_id: 'call-1' };
  return {
    ...{ ...common, id, otid: `${id}-1` },
    ...{ message_type: 'tool_call_message', tool_call: part, tool_calls: [part] },
  };
};
const void_ = (id: string): Chunk['body'] => ({
  ...{ ...common, id: `${id}-void`, otid: null },
  ...{ message_type: 'system_message', content: 'It broke off.', abandoned_message_id: id },
});
const stop: Chunk['body'] = { message_type: 'stop_reason', stop_reason: 'end_turn' };

function write(...bodies: readonly Chunk['body'][]) {
  const writer = createUiWriter(nothing);
  return bodies.flatMap((body) => writer.write(body));
}

describe('[ai-sdk.void] an abandoned answer', () => {
  it('is announced to the page with the message id that its text parts carry', () => {
    const chunks = write(words('a', 'Good ev'), void_('a'), words('b', 'Good evening'), stop);

    expect(chunks.map(({ type }) => type)).toEqual([
      ...['start-step', 'text-start', 'text-delta', 'text-end', 'data-abandoned'],
      ...['text-start', 'text-delta', 'text-end', 'finish-step'],
    ]);
    expect(chunks[1]).toMatchObject({ providerMetadata: { perdure: { message_id: 'a' } } });
    expect(chunks[4]).toEqual({ type: 'data-abandoned', id: 'a', data: { message_id: 'a' } });
  });

  it('ends its unfinished calls with an error', () => {
    const chunks = write(call('a', 'pay', '{"sum":'), void_('a'), stop);

    expect(chunks.map(({ type }) => type)).toEqual([
      ...['start-step', 'tool-input-start', 'tool-input-delta', 'tool-input-error'],
      ...['data-abandoned', 'finish-step'],
    ]);
  });
});

describe('[ai-sdk.stream] a tool call', () => {
  it('is available as soon as its arguments are complete', () => {
    const chunks = write(call('a', 'pay', '{"sum":'), call('a', null, ' {"eur": 1}}'));

    expect(chunks.at(-1)).toMatchObject({
      ...{ type: 'tool-input-available', toolCallId: 'call-1', toolName: 'pay' },
      input: { sum: { eur: 1 } },
    });
  });

  it('keeps arguments that are not JSON as the model wrote them', () => {
    const chunks = write(call('a', 'pay', 'one euro'), stop);

    expect(chunks.slice(-2)).toMatchObject([
      { type: 'tool-input-available', input: 'one euro' },
      { type: 'finish-step' },
    ]);
  });
});
