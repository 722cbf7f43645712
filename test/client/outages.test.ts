import { describe, expect, it } from '@jest/globals';
import { throughOutages } from '../../client/outages.js';

class DatabaseError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`SQLSTATE ${code}`);
    this.code = code;
  }
}

/** A read that fails with these codes, one after another, and then succeeds. */
function failing(...codes: readonly string[]): {
  readonly read: () => Promise<string>;
  readonly asked: () => number;
} {
  let asked = 0;
  return {
    asked: () => asked,
    read: () => {
      const code = codes[asked++];
      return code === undefined ? Promise.resolve('rows') : Promise.reject(new DatabaseError(code));
    },
  };
}

describe('throughOutages', () => {
  it('repeats a read while the database restarts', async () => {
    const { read, asked } = failing('57P01', 'ECONNREFUSED', 'EAI_AGAIN', '57P03');

    expect(await throughOutages(read, new AbortController().signal)).toBe('rows');
    expect(asked()).toBe(5);
  });

  it('fails at once on an invalid query', async () => {
    const { read, asked } = failing('42601');

    await expect(throughOutages(read, new AbortController().signal)).rejects.toMatchObject({ code: '42601' });
    expect(asked()).toBe(1);
  });

  it('ends with the caller’s abort', async () => {
    const { read } = failing('57P01', '57P01');

    await expect(throughOutages(read, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });
});
