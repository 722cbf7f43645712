import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent } from 'undici';
import { openWeb } from '../../adapters/web/open-web.js';
import { isPublic } from '../../adapters/web/public-addresses.js';
import { chooseProvider, type WebSearchConfig } from '../../adapters/web/search-providers.js';
import { createPageReader } from '../../adapters/web/web-pages.js';
import type { WebQuery } from '../../adapters/web/web.js';

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

const query: WebQuery = {
  query: 'sea songs',
  limit: 2,
  includeDomains: ['a.org'],
  excludeDomains: ['b.org'],
};
const signal = new AbortController().signal;
const hits = [1, 2, 3].map((one) => ({ title: `T${one}`, url: `https://a.org/${one}` }));

describe('web access', () => {
  let server: Server;
  let host: string;
  let asked: Asked[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;

  beforeAll(async () => {
    server = createServer((request, response) => {
      void (async () => {
        let text = '';
        for await (const chunk of request) text += String(chunk);
        const { method, url, headers } = request;
        asked.push({ method, url, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) });
        answer(request, response);
      })();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  function answering(status: number, body: unknown, headers: Record<string, string> = {}): void {
    asked = [];
    answer = (_request, response) => {
      const type = typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json';
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
  }

  function search(config: WebSearchConfig) {
    const provider = chooseProvider(config, { tavily: host, exa: host, brave: host });
    return openWeb(provider).search(query, { signal });
  }

  it.each([
    [
      'Tavily',
      () => ({ tavilyKey: 'k', exaKey: 'other' }),
      { results: hits.map((hit) => ({ ...hit, content: 'C', published_date: '2026' })) },
      {
        method: 'POST',
        url: '/search',
        headers: { authorization: 'Bearer k' },
        body: { query: 'sea songs', max_results: 2, include_domains: ['a.org'], exclude_domains: ['b.org'] },
      },
    ],
    [
      'Exa',
      () => ({ exaKey: 'k' }),
      { results: hits.map((hit) => ({ ...hit, text: 'C', publishedDate: '2026' })) },
      {
        method: 'POST',
        url: '/search',
        headers: { 'x-api-key': 'k' },
        body: { query: 'sea songs', numResults: 2, includeDomains: ['a.org'], excludeDomains: ['b.org'] },
      },
    ],
    [
      'Brave',
      () => ({ braveKey: 'k' }),
      { web: { results: hits.map((hit) => ({ ...hit, description: 'C', age: '2026' })) } },
      {
        method: 'GET',
        url: '/res/v1/web/search?q=sea+songs+%28site%3Aa.org%29+-site%3Ab.org&count=2',
        headers: { 'x-subscription-token': 'k' },
      },
    ],
    [
      'SearXNG',
      () => ({ searxngUrl: host }),
      { results: hits.map((hit) => ({ ...hit, content: 'C', publishedDate: '2026' })) },
      { method: 'GET', url: '/search?q=sea+songs+%28site%3Aa.org%29+-site%3Ab.org&format=json' },
    ],
  ])('[wire.web] searches with %s', async (_name, config, body, request) => {
    answering(200, body);

    expect(await search(config())).toEqual(
      hits.slice(0, 2).map((hit) => ({ ...hit, excerpt: 'C', published: '2026' })),
    );
    expect(asked).toMatchObject([request]);
  });

  it.each([
    [429, { error: 'slow down' }, /Exa answered 429\. Wait/],
    [401, { error: 'no' }, /Exa answered 401\. Its key was refused/],
    [200, { nothing: true }, /Exa is not available/],
    [200, 'no JSON', /Exa is not available/],
  ])('[wire.web] explains a provider’s answer %s', async (status, body, says) => {
    answering(status, body);

    await expect(search({ exaKey: 'k' })).rejects.toMatchObject({
      name: 'WebError',
      message: expect.stringMatching(says),
    });
  });

  it('[wire.web] names the settings when no provider is configured', async () => {
    await expect(search({})).rejects.toMatchObject({
      name: 'WebError',
      message: expect.stringContaining('TAVILY_API_KEY, EXA_API_KEY, BRAVE_API_KEY or SEARXNG_URL'),
    });
  });

  it('[wire.web] reads a page as Markdown and follows redirects', async () => {
    const read = createPageReader(new Agent());
    asked = [];
    answer = ({ url }, response) => {
      if (url === '/old') response.writeHead(302, { location: '/new' }).end();
      else {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<html><script>steal()</script><h1>Sea songs</h1><p>Ahoy <b>there</b></p></html>');
      }
    };

    expect(await read(`${host}/old`, signal)).toBe('# Sea songs\n\nAhoy **there**');
    expect(asked.map(({ url }) => url)).toEqual(['/old', '/new']);
  });

  it.each([
    [404, 'gone', {}, /answered 404/],
    [200, 'x', { 'content-type': 'image/png' }, /is image\/png, which can't be read/],
    [302, '', { location: '/again' }, /redirects more than 5 times/],
    [302, '', { location: 'file:///etc/passwd' }, /is not the address of a page/],
  ])('[wire.web] refuses a page that answers %s', async (status, body, headers, says) => {
    answering(status, body, headers);

    await expect(createPageReader(new Agent())(`${host}/`, signal)).rejects.toMatchObject({
      name: 'WebError',
      message: expect.stringMatching(says),
    });
  });

  it.each(['127.0.0.1', 'localhost', '2130706433', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]', '0'])(
    '[wire.web] refuses the private address %s',
    async (name) => {
      answering(200, 'secret');
      const { port } = new URL(host);

      await expect(createPageReader()(`http://${name}:${port}/`, signal)).rejects.toMatchObject({
        name: 'WebError',
        message: expect.stringContaining('address of a private network'),
      });
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ['93.184.215.14', true],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
    ['10.0.0.1', false],
    ['169.254.169.254', false],
    ['192.168.1.1', false],
    ['100.64.0.1', false],
    ['fd00::1', false],
    ['nonsense', false],
  ])('[wire.web] treats %s as public: %s', (address, expected) => {
    expect(isPublic(address)).toBe(expected);
  });
});
