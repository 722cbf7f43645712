import { describe, expect, it } from '@jest/globals';
import { throughOutages } from '../../client/outages.js';

class DatabaseError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`SQLSTATE ${code}`);
    this.code = code;
  }
}

/** Reads that fail with these codes, one after the other, before one succeeds. */
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
  it('asks again while the database restarts', async () => {
    const { read, asked } = failing('57P01', 'ECONNREFUSED', 'EAI_AGAIN', '57P03');

    expect(await throughOutages(read, new AbortController().signal)).toBe('rows');
    expect(asked()).toBe(5);
  });

  it('gives a wrong query up at once', async () => {
    const { read, asked } = failing('42601');

    await expect(throughOutages(read, new AbortController().signal)).rejects.toMatchObject({ code: '42601' });
    expect(asked()).toBe(1);
  });

  it('ends with the request that waits', async () => {
    const { read } = failing('57P01', '57P01');

    await expect(throughOutages(read, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });
});
