import { describe, expect, it } from '@jest/globals';
import type { MessageBody } from '../../../core/threads/messages.js';
import { closedPart } from '../../../core/threads/transcript.js';
import { aMessage, assistant, call, result, user } from '../builders.js';

describe('the part of a transcript that a provider accepts', () => {
  it.each<[string, readonly MessageBody[], number]>([
    ['nothing', [], 0],
    ['messages without calls', [user('hello')], 1],
    ['a call with its result', [user('a'), assistant({ toolCalls: [call('1')] }), result('1')], 3],
    ['no call without its result', [user('a'), assistant({ toolCalls: [call('1')] })], 1],
    [
      'no parallel calls when one lacks its result',
      [user('a'), assistant({ toolCalls: [call('1'), call('2')] }), result('1')],
      1,
    ],
    ['nothing after an open call', [user('a'), assistant({ toolCalls: [call('1')] }), user('b')], 1],
    [
      'parallel calls once each has its result',
      [assistant({ toolCalls: [call('1'), call('2')] }), result('2'), result('1'), user('b')],
      4,
    ],
  ])('keeps %s [conversation.fork]', (_what, bodies, kept) => {
    const messages = bodies.map((body, index) => aMessage(body, { id: `message-${index}` }));

    expect(closedPart(messages)).toEqual(messages.slice(0, kept));
  });
});
