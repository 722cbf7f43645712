import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLoginAttempts } from '../../../server/http/login-attempts.js';
import { startTestServer, type TestServer } from '../test-server.js';

describe('[auth.slowed] the delay of password guesses', () => {
  const failing = (addresses: readonly string[], times: number, now = 0) => {
    const attempts = createLoginAttempts();
    for (let n = 0; n < times; n += 1) for (const address of addresses) attempts.noteFailure(address, now);
    return attempts;
  };

  it.each([
    [5, 0],
    [6, 1_000],
    [7, 2_000],
    [11, 32_000],
    [12, 60_000],
    [90, 60_000],
  ])('after %i failures is %i ms', (times, wait) => {
    const attempts = failing(['203.0.113.1'], times);

    expect(attempts.waitOf('203.0.113.1', 0)).toBe(wait);
    expect(attempts.waitOf('203.0.113.1', wait)).toBe(0);
    expect(attempts.waitOf('203.0.113.2', 0)).toBe(0);
  });

  it('ends with the right password or after a quarter of an hour', () => {
    const attempts = failing(['203.0.113.1', '203.0.113.2'], 20);

    attempts.noteSuccess('203.0.113.1');
    expect(attempts.waitOf('203.0.113.1', 0)).toBe(0);
    attempts.noteFailure('203.0.113.2', 15 * 60_000 + 1);
    expect(attempts.waitOf('203.0.113.2', 15 * 60_000 + 1)).toBe(0);
  });

  it('is a minute for each of many failing addresses, and nothing for others', () => {
    const many = Array.from({ length: 100 }, (_, n) => `203.0.113.${n}`);
    const attempts = failing(many, 1);

    expect(attempts.waitOf('203.0.113.7', 0)).toBe(60_000);
    expect(attempts.waitOf('198.51.100.1', 0)).toBe(0);
    expect(attempts.waitOf('203.0.113.7', 60_001)).toBe(0);
  });

  it('treats one IPv6 network, and each form of an address, as one address', () => {
    const attempts = failing(['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'], 4);

    expect(attempts.waitOf('2001:db8:1:2:3:4:5:6', 0)).toBe(4_000);
    expect(attempts.waitOf('2001:db8:1:3::1', 0)).toBe(0);
    expect(failing(['::ffff:203.0.113.1'], 6).waitOf('203.0.113.1', 0)).toBe(1_000);
  });

  it('forgets the oldest addresses beyond a limit', () => {
    const attempts = failing(['198.51.100.1'], 20);
    for (let n = 0; n < 10_000; n += 1) attempts.noteFailure(`10.0.${n >> 8}.${n & 255}`, 0);

    expect(attempts.waitOf('198.51.100.1', 0)).toBe(0);
    expect(attempts.waitOf('10.0.39.15', 0)).toBe(60_000);
  });
});

describe('[auth.slowed] a server with a password', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ settings: { password: 'right' } });
  });
  afterAll(() => server.close());

  const ask = (password: string | undefined, remoteAddress: string) =>
    server.app.inject({
      ...{ method: 'GET', url: '/v1/agents/count', remoteAddress },
      headers: password === undefined ? {} : { authorization: `Bearer ${password}` },
    });

  it('answers 429 with a Retry-After and checks no password until then, but lets others in', async () => {
    const address = '203.0.113.1';
    // On a busy machine the attempts could take longer than the second of delay.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    for (let n = 0; n < 9; n += 1) expect((await ask(undefined, address)).statusCode).toBe(401);
    for (let n = 0; n < 6; n += 1) expect((await ask(`wrong ${n}`, address)).statusCode).toBe(401);

    const late = await ask('right', address);
    clock.mockRestore();

    expect(late).toMatchObject({
      ...{ statusCode: 429, headers: { 'retry-after': '1', 'x-should-retry': 'false' } },
    });
    expect(late.json()).toEqual({
      detail: 'Too many wrong passwords came from this address. Wait 1 s, and send the right one.',
    });
    expect((await ask('right', '203.0.113.2')).statusCode).toBe(200);
    expect((await ask(undefined, address)).statusCode).toBe(401);
    expect(
      (await server.app.inject({ method: 'GET', url: '/v1/health', remoteAddress: address })).statusCode,
    ).toBe(200);
  });
});
