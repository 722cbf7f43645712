import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../test-server.js';

/** What a browser sends with what a page of another site asks. */
const attacks: readonly [string, Readonly<Record<string, string>>][] = [
  ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a form or picture of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['a page of another port', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
  ['a page of an old browser', { origin: 'https://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['a rebound name', { host: 'evil.example:8283', 'sec-fetch-site': 'same-origin' }],
  ['a name that looks like an address', { host: '127.0.0.1.evil.example' }],
  ['a name that ends like ours', { host: 'notlocalhost' }],
  ['a host that is none', { host: 'a b' }],
];

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;
type Method = (typeof methods)[number];

interface Operation {
  readonly method: Method;
  readonly url: string;
}

describe('pages of other sites', () => {
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

  it.each(attacks)('are refused what %s asks, on every route [wire.browser]', async (_what, headers) => {
    // The page of another port is let in where it is named; here its port is another one.
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

  it('change nothing by a form [wire.browser]', async () => {
    const agent = await server.anAgent();
    const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' };

    const answer = await server.call('DELETE', `/v1/agents/${agent.id}`, { headers });

    expect(answer.body).toEqual({ detail: expect.stringContaining('PERDURE_ALLOWED_HOSTS') });
    expect((await server.call('GET', `/v1/agents/${agent.id}`)).status).toBe(200);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a program', {}],
    ['a program by an address', { host: '192.168.1.7:8283' }],
    ['a program by an address of six', { host: '[::1]:8283' }],
    ['a program by a name of this machine', { host: 'Perdure.LOCALHOST:8283' }],
    ['a program by an allowed name', { host: 'agents.example.com' }],
    ['the page of documentation', { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:80' }],
    ['that page in an old browser', { host: 'localhost:8283', origin: 'http://localhost:8283' }],
    [
      'that page behind a proxy',
      { host: '10.0.0.3:8283', origin: 'https://mine.example', 'sec-fetch-site': 'same-origin' },
    ],
    ['its user’s address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['an allowed page', { 'sec-fetch-site': 'cross-site', origin: 'https://agents.example.com' }],
    ['an allowed port', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
  ])('are not taken for %s [wire.browser]', async (_what, headers) => {
    expect(await ask({ method: 'get', url: '/v1/agents/' }, headers)).toBe(200);
  });

  it('may lead to the documentation and the studio, in a tab alone [wire.browser]', async () => {
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

  it('are kept off by the password where there is one [wire.browser]', async () => {
    const headers = { host: 'agents.example.com', origin: 'https://app.example.com' };

    expect(await ask({ method: 'get', url: '/v1/agents/' }, headers, locked)).toBe(401);
    const known = { ...headers, authorization: 'Bearer secret' };
    expect(await ask({ method: 'get', url: '/v1/agents/' }, known, locked)).toBe(200);
  });
});

/** Every operation of the description, with any ids, and what the description leaves out. */
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
