import { describe, expect, it } from '@jest/globals';
import type { MessageEdit } from '../../../core/turns/chores.js';
import { editBody } from '../../../core/threads/message-edits.js';
import type { MessageBody } from '../../../core/threads/messages.js';
import { assistant, call, result, user } from '../builders.js';

const speech = call('c', 'send_message', { message: 'old', mood: 'good' });
const picture = { type: 'image' as const, url: 'https://example.com/a.png' };

describe('an edited message', () => {
  it.each<[string, MessageBody, MessageEdit['part'], MessageBody | undefined]>([
    ['gets a new text of the user', user('old', 'Ada'), 'user', user('new', 'Ada')],
    [
      'keeps its images',
      { kind: 'user', content: [picture, { type: 'text', text: 'old' }] },
      'user',
      { kind: 'user', content: [{ type: 'text', text: 'new' }, picture] },
    ],
    [
      'gets a new plain text of the agent',
      assistant({ text: 'old' }),
      'assistant',
      assistant({ text: 'new' }),
    ],
    [
      'gets a new text in the send_message call',
      assistant({ toolCalls: [call('a', 'other'), speech] }),
      'assistant',
      assistant({
        toolCalls: [call('a', 'other'), { ...speech, arguments: '{"message":"new","mood":"good"}' }],
      }),
    ],
    ['gets new reasoning', assistant({ reasoning: 'old' }), 'reasoning', assistant({ reasoning: 'new' })],
    ['is refused as an agent’s message when it is the user’s', user('old'), 'assistant', undefined],
    [
      'is refused when the agent said nothing in it',
      assistant({ toolCalls: [call('a', 'other')] }),
      'assistant',
      undefined,
    ],
    ['is refused when it has no reasoning', assistant({ text: 'x' }), 'reasoning', undefined],
    ['is refused when it is a tool result', result('c'), 'assistant', undefined],
  ])('%s [messages.edit]', (_what, body, part, edited) => {
    expect(editBody(body, { part, text: 'new' })).toEqual(edited);
  });

  it('gets a new text in the call of an extension’s messaging tool [ext.messaging]', () => {
    const voice = { id: 'v', name: 'send_voice_message', arguments: '{"text":"old","mood":"calm"}' };
    const body = assistant({ toolCalls: [voice] });
    const edit = { part: 'assistant', text: 'new' } as const;

    expect(editBody(body, edit, new Map([[voice.name, 'text']]))).toEqual(
      assistant({ toolCalls: [{ ...voice, arguments: '{"text":"new","mood":"calm"}' }] }),
    );
    expect(editBody(body, edit)).toBeUndefined();
  });
});
