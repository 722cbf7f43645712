import { describe, expect, it } from '@jest/globals';
import { redact } from '../../../core/tools/redaction.js';

describe('[secrets.redacted] a text without secrets', () => {
  it.each([
    ['as they are', 'token=s3cr3t-value!', 'token=[KEY]!'],
    ['every time', 's3cr3t-value s3cr3t-value', '[KEY] [KEY]'],
    ['as URLs write them', 'GET /?q=two%20words', 'GET /?q=[WORDS]'],
    ['as JSON writes them', '{"a":"line\\nbreak"}', '{"a":"[LINES]"}'],
    ['the longest first', 'long-s3cr3t-value', '[LONGER]'],
    ['but short ones, which are words', 'eu and Europe', 'eu and Europe'],
  ])('leaves them out %s', (_how, text, expected) => {
    const secrets = {
      KEY: 's3cr3t-value',
      LONGER: 'long-s3cr3t-value',
      WORDS: 'two words',
      LINES: 'line\nbreak',
      REGION: 'eu',
      EMPTY: '',
      HALF: 'half \ud800 a pair',
    };

    expect(redact(text, secrets)).toBe(expected);
  });
});
