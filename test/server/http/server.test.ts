import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { z } from 'zod';
import { packageVersion } from '../../../server/http/version.js';
import { anAgent } from '../../schema/fixtures.js';
import { startTestServer, type TestServer } from '../test-server.js';

const openApi = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ operationId: z.string(), responses: z.record(z.string(), z.unknown()) })),
  ),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  security: z.unknown(),
});

describe('the server', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ settings: { password: 'open sesame' } });
  });

  afterAll(() => server.close());

  it.each([
    ['no password', {}, 401],
    ['a wrong password', { authorization: 'Bearer closed' }, 401],
    ['the right password', { authorization: 'Bearer open sesame' }, 200],
    ['the right password in the older header', { 'x-bare-password': 'password open sesame' }, 200],
  ] as const)('[rest.password] answers a request with %s', async (_what, headers, status) => {
    const answer = await server.call('GET', '/v1/agents/', { headers });

    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.body).toEqual({ detail: expect.stringMatching(/Authorization: Bearer/) });
    }
  });

  it('reports its health without a password, with and without a trailing slash', async () => {
    const expected = { status: 200, body: { status: 'ok', version: packageVersion } };

    expect(await server.call('GET', '/v1/health')).toMatchObject(expected);
    expect(await server.call('GET', '/v1/health/')).toMatchObject(expected);
  });

  it('[rest.openapi] describes every route in OpenAPI 3.1, with named schemas', async () => {
    const document = await server.read(openApi, 'GET', '/openapi.json');
    const operations = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => operation.operationId);

    expect(new Set(operations).size).toBe(operations.length);
    expect(document.security).toEqual([{ password: [] }]);
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['AgentState', 'Block', 'LettaResponse', 'Run', 'Step', 'Tool', 'Passage']),
    );
  });

  it('[rest.openapi] lists the statuses of answers without a body', async () => {
    const { paths } = await server.read(openApi, 'GET', '/openapi.json');
    const password = { authorization: 'Bearer open sesame' };
    const agent = await anAgent(server.db);
    const notified = await server.call('POST', '/mcp', {
      body: { jsonrpc: '2.0', method: 'notifications/initialized' },
      headers: { ...password, accept: 'application/json, text/event-stream' },
    });
    const idle = await server.call('GET', `/v1/ui/chat/${agent.id}/stream`, { headers: password });
    const named = (path: string, method: string): string[] =>
      Object.keys(paths[path]?.[method]?.responses ?? {});

    expect([notified.status, idle.status]).toEqual([202, 204]);
    expect(named('/mcp', 'post')).toEqual(['200', '202', '4XX', '5XX']);
    expect(named('/v1/ui/chat/{chat_id}/stream', 'get')).toEqual(['200', '204', '4XX', '5XX']);
    expect(named('/v1/sources/{source_id}/{file_id}', 'delete')).toEqual(['204', '4XX', '5XX']);
  });

  it('[rest.openapi] serves a page that shows the document', async () => {
    const page = await server.app.inject({ method: 'GET', url: '/docs' });

    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toMatch(/text\/html/);
  });
});

describe('[rest.full-disk] a full disk', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  it('answers writes with 507 and still serves reads', async () => {
    // The error that PostgreSQL raises when it can't extend a table's file.
    await sql`create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file "base/1/2": No space left on device' using errcode = 'disk_full';
    end $$`.execute(server.db);
    await sql`create trigger refuse before insert on blocks execute function refuse()`.execute(server.db);

    const written = await server.call('POST', '/v1/blocks', { body: { label: 'human', value: 'Ada' } });
    const read = await server.call('GET', '/v1/blocks');

    expect(written).toMatchObject({
      status: 507,
      body: { detail: expect.stringMatching(/disk is full/) },
      headers: { 'x-should-retry': 'false' },
    });
    expect(read.status).toBe(200);
  });
});
