import { describe, expect, it } from '@jest/globals';
import type { MessageEdit } from '../../../core/turns/chores.js';
import { editBody } from '../../../core/threads/message-edits.js';
import type { MessageBody } from '../../../core/threads/messages.js';
import { assistant, call, result, user } from '../builders.js';

const speech = call('c', 'send_message', { message: 'old', mood: 'good' });
const picture = { type: 'image' as const, url: 'https://example.com/a.png' };

describe('an edited message', () => {
  it.each<[string, MessageBody, MessageEdit['part'], MessageBody | undefined]>([
    ['has other words of the user’s', user('old', 'Ada'), 'user', user('new', 'Ada')],
    [
      'keeps its pictures',
      { kind: 'user', content: [picture, { type: 'text', text: 'old' }] },
      'user',
      { kind: 'user', content: [{ type: 'text', text: 'new' }, picture] },
    ],
    [
      'has other plain words of the agent’s',
      assistant({ text: 'old' }),
      'assistant',
      assistant({ text: 'new' }),
    ],
    [
      'has other words in the call by which the agent speaks',
      assistant({ toolCalls: [call('a', 'other'), speech] }),
      'assistant',
      assistant({
        toolCalls: [call('a', 'other'), { ...speech, arguments: '{"message":"new","mood":"good"}' }],
      }),
    ],
    ['has other thoughts', assistant({ reasoning: 'old' }), 'reasoning', assistant({ reasoning: 'new' })],
    ['is not another’s', user('old'), 'assistant', undefined],
    [
      'does not speak where it did not',
      assistant({ toolCalls: [call('a', 'other')] }),
      'assistant',
      undefined,
    ],
    ['does not think where it did not', assistant({ text: 'x' }), 'reasoning', undefined],
    ['is no result of a tool', result('c'), 'assistant', undefined],
  ])('%s [messages.edit]', (_what, body, part, edited) => {
    expect(editBody(body, { part, text: 'new' })).toEqual(edited);
  });

  it('has other words in the call of a tool of an extension by which the agent speaks [ext.messaging]', () => {
    const voice = { id: 'v', name: 'send_voice_message', arguments: '{"text":"old","mood":"calm"}' };
    const body = assistant({ toolCalls: [voice] });
    const edit = { part: 'assistant', text: 'new' } as const;

    expect(editBody(body, edit, new Map([[voice.name, 'text']]))).toEqual(
      assistant({ toolCalls: [{ ...voice, arguments: '{"text":"new","mood":"calm"}' }] }),
    );
    expect(editBody(body, edit)).toBeUndefined();
  });
});
