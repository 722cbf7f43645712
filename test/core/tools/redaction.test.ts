import { describe, expect, it } from '@jest/globals';
import { redact } from '../../../core/tools/redaction.js';

describe('[secrets.redacted] redact', () => {
  it.each([
    ['written as they are', 'token=s3cr3t-value!', 'token=[KEY]!'],
    ['every time', 's3cr3t-value s3cr3t-value', '[KEY] [KEY]'],
    ['in their URL encoding', 'GET /?q=two%20words', 'GET /?q=[WORDS]'],
    ['in their JSON encoding', '{"a":"line\\nbreak"}', '{"a":"[LINES]"}'],
    ['the longest first', 'long-s3cr3t-value', '[LONGER]'],
    ['but not short ones, which are ordinary words', 'eu and Europe', 'eu and Europe'],
  ])('replaces secrets %s', (_how, text, expected) => {
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
