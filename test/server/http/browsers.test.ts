import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../test-server.js';

/** The headers of requests that a page of another site makes a browser send. */
const attacks: readonly [string, Readonly<Record<string, string>>][] = [
  ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a form or an image on another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['a page on another port', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
  ['a page in an old browser', { origin: 'https://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['a rebound DNS name', { host: 'evil.example:8283', 'sec-fetch-site': 'same-origin' }],
  ['a name that looks like an address', { host: '127.0.0.1.evil.example' }],
  ['a name with our name as its suffix', { host: 'notlocalhost' }],
  ['an invalid host', { host: 'a b' }],
];

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;
type Method = (typeof methods)[number];

interface Operation {
  readonly method: Method;
  readonly url: string;
}

describe('the guard against other sites', () => {
  let server: TestServer;
  let locked: TestServer;
  let operations: readonly Operation[];

  beforeAll(async () => {
    [server, locked] = await Promise.all([
      startTestServer({ settings: { allowedHosts: ['agents.example.com', 'localhost:3000'] } }),
      startTestServer({ settings: { password: 'secret' } }),
    ]);
    operations = await operationsOf(server);
  });

  afterAll(() => Promise.all([server.close(), locked.close()]));

  const ask = async (
    { method, url }: Operation,
    headers: Readonly<Record<string, string>>,
    on: TestServer = server,
  ): Promise<number> => (await on.app.inject({ method, url, headers })).statusCode;

  it.each(attacks)('refuses %s on every route [wire.browser]', async (_what, headers) => {
    // Port 3000 is on the list of allowed hosts. This port is not.
    const asked = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace(':3000', ':4000')]),
    );
    const statuses = new Map<string, number>();

    for (const operation of operations)
      statuses.set(`${operation.method} ${operation.url}`, await ask(operation, asked));
    const letIn = [...statuses].filter(([, status]) => status !== 403);

    expect(statuses.size).toBeGreaterThan(200);
    expect(letIn).toEqual([]);
  });

  it('refuses a change by a simple request and names the setting that allows it [wire.browser]', async () => {
    const agent = await server.anAgent();
    const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' };

    const answer = await server.call('DELETE', `/v1/agents/${agent.id}`, { headers });

    expect(answer.body).toEqual({ detail: expect.stringContaining('PERDURE_ALLOWED_HOSTS') });
    expect((await server.call('GET', `/v1/agents/${agent.id}`)).status).toBe(200);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a program', {}],
    ['a program by an address', { host: '192.168.1.7:8283' }],
    ['a program by an IPv6 address', { host: '[::1]:8283' }],
    ['a program by a name of this machine', { host: 'Perdure.LOCALHOST:8283' }],
    ['a program by an allowed name', { host: 'agents.example.com' }],
    ['the documentation page', { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:80' }],
    ['that page in an old browser', { host: 'localhost:8283', origin: 'http://localhost:8283' }],
    [
      'that page behind a proxy',
      { host: '10.0.0.3:8283', origin: 'https://mine.example', 'sec-fetch-site': 'same-origin' },
    ],
    ['the user’s address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['an allowed page', { 'sec-fetch-site': 'cross-site', origin: 'https://agents.example.com' }],
    ['an allowed port', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
  ])('allows %s [wire.browser]', async (_what, headers) => {
    expect(await ask({ method: 'get', url: '/v1/agents/' }, headers)).toBe(200);
  });

  it('allows links to the documentation and the studio in a tab but not in a frame [wire.browser]', async () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const at = (url: string, headers = {}) => ask({ method: 'get', url }, { ...link, ...headers });

    expect(await at('/docs')).toBe(200);
    // Without a built studio `/` leads to the documentation.
    for (const page of ['/', '/?from=mail']) expect([200, 302]).toContain(await at(page));
    expect([200, 404]).toContain(await at('/agents/agent-1/mind'));
    expect(await at('/', { 'sec-fetch-dest': 'iframe' })).toBe(403);
    expect(await at('/docs', { 'sec-fetch-dest': 'iframe' })).toBe(403);
    expect(await at('/v1/agents/')).toBe(403);
  });

  it('relies on the password where one is set [wire.browser]', async () => {
    const headers = { host: 'agents.example.com', origin: 'https://app.example.com' };

    expect(await ask({ method: 'get', url: '/v1/agents/' }, headers, locked)).toBe(401);
    const known = { ...headers, authorization: 'Bearer secret' };
    expect(await ask({ method: 'get', url: '/v1/agents/' }, known, locked)).toBe(200);
  });
});

/** Every operation in the OpenAPI document, with dummy ids, and the paths that the document leaves out. */
async function operationsOf(server: TestServer): Promise<readonly Operation[]> {
  const { body } = await server.call('GET', '/openapi.json');
  const { paths } = body as { paths: Readonly<Record<string, object>> };
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    methods
      .filter((method) => method in operations)
      .map((method) => ({ method, url: path.replaceAll(/\{\w+\}/g, 'x') })),
  );
  const others = ['/', '/docs', '/docs/static/swagger-ui.css', '/openapi.json', '/v1/nowhere'];
  return [
    ...described,
    ...others.map((url) => ({ method: 'get' as const, url })),
    { method: 'options', url: '/v1/agents/' },
    { method: 'head', url: '/v1/health/' },
  ];
}
