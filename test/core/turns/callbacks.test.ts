import { describe, expect, it } from '@jest/globals';
import { type CallbackAnswer, callbackError, judgeCallback } from '../../../core/turns/callbacks.js';

const answered = (status: number): CallbackAnswer => ({ kind: 'answered', status });
const unreachable: CallbackAnswer = { kind: 'unreachable', why: 'It can’t be reached.' };
const refused: CallbackAnswer = { kind: 'refused', why: 'It is private.' };
const day = 24 * 60 * 60 * 1000;

describe('the verdict on a callback attempt [callback.retried]', () => {
  it.each([
    ['accepted', answered(200), 0, 'done', null],
    ['accepted without content', answered(204), day, 'done', null],
    ['failing', answered(500), 0, 'again', 'It answered 500.'],
    ['busy', answered(429), day - 1, 'again', 'It answered 429.'],
    ['failing for a day', answered(503), day, 'given_up', 'It answered 503.'],
    ['rejected', answered(404), 0, 'given_up', 'It answered 404.'],
    ['redirected', answered(302), 0, 'given_up', 'It answered 302. Redirects are not followed.'],
    ['unreachable', unreachable, 0, 'again', 'It can’t be reached.'],
    ['unreachable for a day', unreachable, day, 'given_up', 'It can’t be reached.'],
    ['a refused address', refused, 0, 'given_up', 'It is private.'],
  ] as const)('depends on the answer: %s', (_what, answer, sinceMs, verdict, error) => {
    expect(judgeCallback(answer, sinceMs)).toBe(verdict);
    expect(callbackError(answer)).toBe(error);
  });
});
