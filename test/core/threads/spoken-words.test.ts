import { describe, expect, it } from '@jest/globals';
import { spokenTexts, wordsSaid } from '../../../core/threads/spoken-words.js';
import { assistant, call, user } from '../builders.js';

describe('the spoken words of an agent [talk.heard] [agents.ask]', () => {
  const sent = (id: string, message: string) => call(id, 'send_message', { message });

  it('are only its messages in a MemGPT loop, and also its text in a native loop', () => {
    const body = assistant({ text: 'I think.', toolCalls: [sent('1', 'Hello.')] });

    expect(wordsSaid(body, 'tools')).toEqual(['Hello.']);
    expect(wordsSaid(body, 'native')).toEqual(['I think.', 'Hello.']);
    expect(
      wordsSaid(assistant({ text: 'I think.', toolCalls: [sent('1', 'Hello.')], spoken: true }), 'tools'),
    ).toEqual(['I think.', 'Hello.']);
  });

  it('come from the calls of its messaging tools, and from no other call', () => {
    const body = assistant({
      text: 'plain',
      reasoning: 'a thought',
      toolCalls: [
        sent('1', 'sent'),
        call('2', 'post', { text: 'posted' }),
        call('3', 'send_message', 'no JSON'),
      ],
    });

    expect(wordsSaid(body, 'native')).toEqual(['plain', 'sent']);
    expect(wordsSaid(body, 'native', new Map([['post', 'text']]))).toEqual(['plain', 'posted']);
    expect(wordsSaid(body, 'native', new Map())).toEqual(['plain']);
    expect(wordsSaid(user('hello'), 'native')).toEqual([]);
  });

  it('exclude a message that waits for an approval', () => {
    const body = assistant({ toolCalls: [sent('1', 'Hello.'), sent('2', 'Secret.')], awaited: ['2'] });

    expect(wordsSaid(body, 'tools')).toEqual(['Hello.']);
  });

  it('include its plain text in its own search', () => {
    expect(spokenTexts(assistant({ text: 'I think.', toolCalls: [sent('1', 'Hello.')] }))).toEqual([
      'I think.',
      'Hello.',
    ]);
  });
});
