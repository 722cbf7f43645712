import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMcpServer, newMcpServerId } from '../../../schema/tools/mcp-servers.js';
import { syncMcpTools } from '../../../schema/tools/mcp-tools.js';
import { startTestServer, type TestServer } from '../test-server.js';

type Case = readonly [what: string, ask: () => Promise<{ readonly status: number }>];

describe('[wire.wrong-input] wrong input', () => {
  let server: TestServer;
  let agent: string;
  let passage: string;
  let archive: string;
  let source: string;

  beforeAll(async () => {
    server = await startTestServer();
    agent = (await server.anAgent({ include_base_tools: true })).id;
    const made = await server.call('POST', `/v1/agents/${agent}/archival-memory`, {
      body: { text: 'Nuts.' },
    });
    passage = (made.body as { id: string }[])[0]?.id ?? '';
    const archives = await server.call('GET', `/v1/archives?agent_id=${agent}`);
    archive = (archives.body as { id: string }[])[0]?.id ?? '';
    source = ((await server.call('POST', '/v1/folders', { body: { name: 'papers' } })).body as { id: string })
      .id;
  });

  afterAll(() => server.close());

  const send = (method: 'POST' | 'PATCH' | 'PUT', url: string, body: unknown) =>
    server.call(method, url, { body });
  const raw = async (url: string, contentType: string, payload: string | Buffer) => {
    const answer = await server.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': contentType },
      payload,
    });
    return { status: answer.statusCode };
  };
  const nested = (levels: number, of = '[]') => of.charAt(0).repeat(levels) + of.charAt(1).repeat(levels);
  const many = <T>(count: number, of: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => of(index));

  const cases: readonly Case[] = [
    [
      'an empty change of a passage',
      () => send('PATCH', `/v1/agents/${agent}/archival-memory/${passage}`, {}),
    ],
    [
      'an empty change of an archive’s passage',
      () => send('PATCH', `/v1/archives/${archive}/passages/${passage}`, {}),
    ],
    ['a form without a boundary', () => raw(`/v1/folders/${source}/upload`, 'multipart/form-data', 'x')],
    ['an import without a boundary', () => raw('/v1/agents/import', 'multipart/form-data', 'x')],
    [
      'a truncated form',
      () =>
        raw(
          `/v1/folders/${source}/upload`,
          'multipart/form-data; boundary=x',
          '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nab',
        ),
    ],
    [
      'an import nested 50,000 levels deep',
      () =>
        raw(
          '/v1/agents/import',
          'multipart/form-data; boundary=x',
          `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${nested(50_000)}\r\n--x--\r\n`,
        ),
    ],
    [
      'lists nested 50,000 levels deep',
      () => raw('/v1/agents/', 'application/json', `{"metadata":{"a":${nested(50_000)}}}`),
    ],
    [
      'objects nested 50,000 levels deep',
      () =>
        raw(
          '/v1/agents/',
          'application/json',
          `{"metadata":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
        ),
    ],
    ['bare lists nested 50,000 levels deep', () => raw('/v1/blocks', 'application/json', nested(50_000))],
    [
      'a NUL and lists nested 5,000 levels deep',
      () => raw('/v1/agents/', 'application/json', `{"name":"\\u0000","metadata":{"a":${nested(5_000)}}}`),
    ],
    ['70,000 tags', () => send('POST', '/v1/agents', { tags: many(70_000, (index) => `tag-${index}`) })],
    [
      '70,000 new tags',
      () => send('PATCH', `/v1/agents/${agent}`, { tags: many(70_000, (index) => `tag-${index}`) }),
    ],
    [
      '70,000 blocks',
      () =>
        send('POST', '/v1/agents', {
          memory_blocks: many(70_000, (index) => ({ label: `l${index}`, value: 'x' })),
        }),
    ],
    [
      '70,000 block ids',
      () =>
        send('POST', '/v1/agents', {
          block_ids: many(70_000, () => `block-00000000-0000-4000-8000-000000000000`),
        }),
    ],
    [
      '70,000 rules',
      () =>
        send('PATCH', `/v1/agents/${agent}`, {
          tool_rules: many(70_000, (index) => ({ type: 'run_first', tool_name: `t${index}` })),
        }),
    ],
    [
      '70,000 tags of a passage',
      () =>
        send('POST', `/v1/agents/${agent}/archival-memory`, {
          text: 'x',
          tags: many(70_000, (index) => `tag-${index}`),
        }),
    ],
    [
      '100,000 messages',
      () =>
        send('POST', `/v1/agents/${agent}/messages/async`, {
          messages: many(100_000, () => ({ role: 'user', content: 'x' })),
        }),
    ],
    [
      '100,000 first messages',
      () =>
        send('POST', '/v1/agents', {
          initial_message_sequence: many(100_000, () => ({ role: 'user', content: 'x' })),
        }),
    ],
    [
      '100,000 passages',
      () =>
        send('POST', `/v1/archives/${archive}/passages/batch`, {
          passages: many(100_000, () => ({ text: 'x' })),
        }),
    ],
  ];

  it.each(cases)('never causes a server error: %s', async (_what, ask) => {
    const { status } = await ask();

    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(500);
  });

  it('from an MCP server is stored without its NUL characters', async () => {
    const config = {
      transport: 'streamable_http',
      url: 'http://127.0.0.1:9',
      headers: {},
      authHeader: null,
      authToken: null,
    } as const;
    const made = await createMcpServer(server.db, {
      id: newMcpServerId(),
      name: 'odd',
      config: { sealed: config },
    });
    const tool = (description: string) => ({
      name: 'odd\u0000tool',
      description,
      parameters: { type: 'object' as const, properties: { a: { type: 'string', description: 'x\u0000' } } },
    });

    const first = await syncMcpTools(server.db, made, [tool('one\u0000')]);
    const second = await syncMcpTools(server.db, made, [tool('two\u0000')]);

    expect([first.added, second.updated, second.added]).toEqual([['odd_tool'], ['odd_tool'], []]);
  });
});
