import { describe, expect, it } from '@jest/globals';
import { type CallbackAnswer, callbackError, judgeCallback } from '../../../core/turns/callbacks.js';

const answered = (status: number): CallbackAnswer => ({ kind: 'answered', status });
const unreachable: CallbackAnswer = { kind: 'unreachable', why: 'It can’t be reached.' };
const refused: CallbackAnswer = { kind: 'refused', why: 'It is private.' };
const day = 24 * 60 * 60 * 1000;

describe('what is done after an attempt to call back [callback.retried]', () => {
  it.each([
    ['taken', answered(200), 0, 'done', null],
    ['taken without content', answered(204), day, 'done', null],
    ['failing', answered(500), 0, 'again', 'It answered 500.'],
    ['busy', answered(429), day - 1, 'again', 'It answered 429.'],
    ['failing for a day', answered(503), day, 'given_up', 'It answered 503.'],
    ['not wanted', answered(404), 0, 'given_up', 'It answered 404.'],
    ['elsewhere', answered(302), 0, 'given_up', 'It answered 302. Redirects are not followed.'],
    ['away', unreachable, 0, 'again', 'It can’t be reached.'],
    ['away for a day', unreachable, day, 'given_up', 'It can’t be reached.'],
    ['no address to call', refused, 0, 'given_up', 'It is private.'],
  ] as const)('%s', (_what, answer, sinceMs, verdict, error) => {
    expect(judgeCallback(answer, sinceMs)).toBe(verdict);
    expect(callbackError(answer)).toBe(error);
  });
});
