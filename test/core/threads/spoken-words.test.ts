import { describe, expect, it } from '@jest/globals';
import { spokenTexts, wordsSaid } from '../../../core/threads/spoken-words.js';
import { assistant, call, user } from '../builders.js';

describe('what an agent says aloud [talk.heard] [agents.ask]', () => {
  const sent = (id: string, message: string) => call(id, 'send_message', { message });

  it('is its messages alone where tools speak, and its text too in a native loop', () => {
    const body = assistant({ text: 'I think.', toolCalls: [sent('1', 'Hello.')] });

    expect(wordsSaid(body, 'tools')).toEqual(['Hello.']);
    expect(wordsSaid(body, 'native')).toEqual(['I think.', 'Hello.']);
    expect(
      wordsSaid(assistant({ text: 'I think.', toolCalls: [sent('1', 'Hello.')], spoken: true }), 'tools'),
    ).toEqual(['I think.', 'Hello.']);
  });

  it('is what the tools say by which it speaks, whoever brought them, and no other call', () => {
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

  it('is no message that waits for an approval', () => {
    const body = assistant({ toolCalls: [sent('1', 'Hello.'), sent('2', 'Secret.')], awaited: ['2'] });

    expect(wordsSaid(body, 'tools')).toEqual(['Hello.']);
  });

  it('is less than what it put into words, which its own search shows', () => {
    expect(spokenTexts(assistant({ text: 'I think.', toolCalls: [sent('1', 'Hello.')] }))).toEqual([
      'I think.',
      'Hello.',
    ]);
  });
});
