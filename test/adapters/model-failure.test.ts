import { describe, expect, it } from '@jest/globals';
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { toModelFailure } from '../../adapters/models/failure.js';
import { findError } from '../../adapters/models/openai-client.js';
import { readRetryAfter } from '../../adapters/models/retry-after.js';
import type { FailureType } from '../../core/failures.js';

const call = {
  handle: 'openai/gpt-4o',
  keyVariable: 'OPENAI_API_KEY',
  secrets: ['sk-very-secret'],
  sent: ['Please keep my diary of the year 1984 between us.'],
};

type Row = readonly [what: string, error: unknown, type: FailureType, retryable: boolean];

describe('model failures', () => {
  it.each<Row>([
    [
      'a rate limit',
      status(429, { message: 'Rate limit reached', code: 'rate_limit_exceeded' }),
      'Model.RateLimited',
      true,
    ],
    [
      'an empty account',
      status(429, { message: 'You exceeded your quota', code: 'insufficient_quota' }),
      'Model.Unauthorized',
      false,
    ],
    [
      'a router’s empty account',
      status(402, { message: 'Insufficient credits' }),
      'Model.Unauthorized',
      false,
    ],
    [
      'Anthropic’s empty account',
      status(400, { message: 'Your credit balance is too low' }),
      'Model.Unauthorized',
      false,
    ],
    ['a wrong key', status(401, { message: 'Incorrect API key provided' }), 'Model.Unauthorized', false],
    ['a key without rights', status(403, { message: 'no access' }), 'Model.Unauthorized', false],
    [
      'Google’s wrong key',
      status(400, { message: 'API key not valid. Please pass a valid API key.' }),
      'Model.Unauthorized',
      false,
    ],
    ['a bad request', status(400, { message: 'Invalid schema for function' }), 'Model.BadRequest', false],
    ['an unknown model', status(404, { message: 'The model does not exist' }), 'Model.BadRequest', false],
    [
      'a request that cannot be processed',
      status(422, { message: 'field required' }),
      'Model.BadRequest',
      false,
    ],
    ['a slow request', status(408, undefined), 'Model.Timeout', true],
    ['a conflict', status(409, undefined), 'Model.Unavailable', true],
    ['a server’s failure', status(500, { message: 'oops' }), 'Model.Unavailable', true],
    ['a gateway', status(502, undefined), 'Model.Unavailable', true],
    [
      'an overloaded provider',
      status(529, { message: 'Overloaded', type: 'overloaded_error' }),
      'Model.Unavailable',
      true,
    ],
    ['a timeout', new APIConnectionTimeoutError(), 'Model.Timeout', true],
    [
      'an abort that the caller did not ask for',
      new DOMException('aborted', 'AbortError'),
      'Model.Timeout',
      true,
    ],
    ['no connection', new APIConnectionError({ message: 'Connection error.' }), 'Model.Unavailable', true],
    ['a broken connection', new TypeError('terminated'), 'Model.Unavailable', true],
    ['malformed JSON', new SyntaxError('Unexpected token'), 'Model.Unavailable', true],
    ['an error within a stream', inStream({ message: 'slow down', code: 429 }), 'Model.RateLimited', true],
    [
      'a server error within a stream',
      inStream({ message: 'upstream', code: 'server_error' }),
      'Model.Unavailable',
      true,
    ],
    [
      'a refusal within a stream',
      inStream({ message: 'no', type: 'invalid_request_error' }),
      'Model.BadRequest',
      false,
    ],
  ])('[model.failures] classifies %s', (_, error, type, retryable) => {
    expect(toModelFailure(error, call)).toMatchObject({ type, retryable });
  });

  it.each([
    [
      'OpenAI',
      400,
      { message: 'Your input exceeds the context window of this model.', code: 'context_length_exceeded' },
    ],
    [
      'OpenAI’s tokens per minute',
      429,
      { message: 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000.' },
    ],
    [
      'vLLM',
      400,
      { message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens" },
    ],
    [
      'newer vLLM',
      400,
      { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.' },
    ],
    ['Anthropic', 400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' }],
    [
      'Anthropic with max_tokens',
      400,
      { message: 'input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000' },
    ],
    [
      'Gemini',
      400,
      { message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).' },
    ],
    ['Ollama', 500, { message: 'the input length exceeds the context length' }],
    ['OpenRouter', 400, { message: "This endpoint's maximum context length is 32768 tokens." }],
    ['llama.cpp', 500, { message: 'the request exceeds the available context size, try increasing it' }],
    [
      'LM Studio',
      400,
      { message: 'The number of tokens to keep from the initial prompt is greater than the context length.' },
    ],
    ['a gateway’s limit', 413, undefined],
  ])('recognises a full context at %s', (_, code, body) => {
    expect(toModelFailure(status(code, body), call)).toMatchObject({
      type: 'Model.ContextOverflow',
      retryable: false,
    });
  });

  it('follows the header x-should-retry', () => {
    expect(toModelFailure(status(500, undefined, { 'x-should-retry': 'false' }), call).retryable).toBe(false);
    expect(toModelFailure(status(400, undefined, { 'x-should-retry': 'true' }), call).retryable).toBe(true);
  });

  it('names the variable of the key', () => {
    expect(toModelFailure(status(401, { message: 'no' }), call).message).toBe(
      'Model openai/gpt-4o refused the key (401): check OPENAI_API_KEY.',
    );
  });

  it('keeps the provider’s text out of its message, and keys, prompts and long bodies out of its detail', () => {
    const leak = status(400, { message: 'bad key sk-very-secret here' });
    const echo = status(422, { message: `[{'input': '${call.sent[0]!}'}]` });
    const long = status(500, { message: 'x'.repeat(9_000) });

    expect(toModelFailure(leak, call).message).not.toContain('bad key');
    expect(toModelFailure(leak, call).detail).toBe('bad key [key] here');
    expect(toModelFailure(echo, call).detail).not.toContain('diary');
    expect(toModelFailure(long, call).detail).toHaveLength(500);
  });

  it.each([
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    ['seconds', { 'retry-after': '2.5' }, 2_500],
    ['a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    ['a past date', { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    ['nothing', {}, undefined],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
  ])('[model.retry-after] reads retry-after in %s', (_, headers, expected) => {
    const now = Date.parse('2026-11-21T12:00:00Z');

    expect(readRetryAfter(new Headers(headers as Record<string, string>), now)).toBe(expected);
  });

  it.each([
    ['OpenAI', { error: { message: 'm' } }],
    ['Google', [{ error: { message: 'm' } }]],
    ['vLLM', { object: 'error', message: 'm' }],
    ['Ollama', { error: 'm' }],
    ['FastAPI', { detail: 'm' }],
  ])('finds the error in a body of %s', (_, body) => {
    expect(findError(body)).toMatchObject({ message: 'm' });
  });
});

function status(code: number, body: object | undefined, headers: Record<string, string> = {}) {
  return APIError.generate(code, { error: body }, undefined, new Headers(headers));
}

function inStream(body: object) {
  return new APIError(undefined, body, undefined, new Headers());
}
