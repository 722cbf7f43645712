import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiRelay, openApiRelay } from '../../adapters/sandbox/api-relay.js';

describe('the relay of a running tool', () => {
  let server: Server;
  let relay: ApiRelay;

  beforeAll(async () => {
    server = createServer((_incoming, outgoing) => {
      outgoing.end('{}');
    });
    await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    relay = await openApiRelay({ apiUrl, headers: {}, kind: 'port', agent: {} });
  });

  afterAll(async () => {
    await relay.close();
    server.close();
  });

  const ask = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const port = 'port' in relay.door ? relay.door.port : 0;
      request({ host: '127.0.0.1', port, path: '/v1/agents', headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });

  it.each([
    ['127.0.0.1', 200],
    ['localhost:8283', 200],
    ['evil.example', 403],
  ])(
    'answers a request for host %s with %i, so a rebound page cannot use the tool’s token [wire.browser]',
    async (host, status) => {
      expect(await ask(host)).toBe(status);
    },
  );
});
