import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { mask } from '../../../core/vault.js';
import { agentVariables } from '../../../schema/agents/variables.js';
import { requireAgent } from '../../../schema/agents/agents.js';
import { openMcpConfig } from '../../../schema/tools/mcp-secrets.js';
import { requireMcpServer } from '../../../schema/tools/mcp-servers.js';
import { createVault } from '../../../schema/db/vault.js';
import { wireAgent } from '../../../server/agents/agents-wire.js';
import { tablesWith } from '../../support/agents/plain-text.js';
import { testVault } from '../../support/runtime/vault.js';
import { startTestServer, type TestServer } from '../test-server.js';

const secrets = { API_KEY: 'plain-secret' };
const tool_exec_environment_variables = { REGION: 'plain-region' };

describe('secrets over REST', () => {
  let server: TestServer;
  let keyless: TestServer;
  beforeAll(async () => {
    [server, keyless] = await Promise.all([startTestServer(), startTestServer({ vault: createVault([]) })]);
  });
  afterAll(() => Promise.all([server.close(), keyless.close()]));

  const variablesOf = async (id: string) => agentVariables(await requireAgent(server.db, id), testVault);
  const patch = (id: string, body: object) => server.call('PATCH', `/v1/agents/${id}`, { body });

  it('[secrets.masked] of an agent appear in answers only as masks, and in no table', async () => {
    const agent = await server.anAgent({ secrets, tool_exec_environment_variables });
    const fork = await server.read(wireAgent, 'POST', `/v1/agents/${agent.id}/fork`);
    const answers = await Promise.all(
      [
        `/v1/agents/${agent.id}`,
        '/v1/agents',
        `/v1/agents/${agent.id}/export`,
        `/v1/agents/${agent.id}/context`,
        `/v1/agents/${agent.id}/core-memory/variables`,
        `/v1/agents/search`,
        '/openapi.json',
      ].map((url) =>
        server.call(url.endsWith('search') ? 'POST' : 'GET', url, url.endsWith('search') ? { body: {} } : {}),
      ),
    );

    expect(agent.secrets.map(({ key, value }) => [key, value])).toEqual([
      ['REGION', mask],
      ['API_KEY', mask],
    ]);
    expect(agent.tool_exec_environment_variables).toEqual(agent.secrets);
    expect(JSON.stringify([agent, fork, answers])).not.toMatch(/plain-|sealed\.1/);
    expect(await variablesOf(fork.id)).toEqual({ API_KEY: 'plain-secret', REGION: 'plain-region' });
    expect([
      await tablesWith(server.db, 'plain-secret'),
      await tablesWith(server.db, 'plain-region'),
    ]).toEqual([[], []]);
  });

  it('[secrets.mask-back] keep their values when an update sends their masks back', async () => {
    const { id, secrets: shown } = await server.anAgent({ secrets, tool_exec_environment_variables });
    const echoed = Object.fromEntries(shown.map(({ key, value }) => [key, value]));

    expect(await patch(id, { secrets: { ...echoed, NEW: 'plain-new' } })).toMatchObject({ status: 200 });
    expect(await variablesOf(id)).toEqual({
      API_KEY: 'plain-secret',
      REGION: 'plain-region',
      NEW: 'plain-new',
    });
    await patch(id, { secrets: { API_KEY: 'plain-other' }, tool_exec_environment_variables: {} });
    expect(await variablesOf(id)).toEqual({ API_KEY: 'plain-other' });
    await patch(id, { name: 'Renamed' });
    expect(await variablesOf(id)).toEqual({ API_KEY: 'plain-other' });
  });

  it('[secrets.mask-back] cannot be created from masks: 422 where no value is stored', async () => {
    const { id } = await server.anAgent();
    const told = {
      status: 422,
      body: { detail: expect.stringMatching(/^KEY: \*{8} keeps a stored value, but none/) },
    };

    expect(await patch(id, { secrets: { KEY: mask } })).toMatchObject(told);
    expect(await server.call('POST', '/v1/agents', { body: { secrets: { KEY: mask } } })).toMatchObject(told);
  });

  it('[secrets.masked] of an MCP server appear in no answer, and keep their values when masks are sent back', async () => {
    const config = {
      mcp_server_type: 'streamable_http',
      server_url: 'http://127.0.0.1:9/mcp',
      auth_token: 'plain-token',
      custom_headers: { 'X-Key': 'plain-header' },
    };
    const made = await server.call('POST', '/v1/mcp-servers', { body: { server_name: 'kept', config } });
    const { id } = z.object({ id: z.string() }).parse(made.body);
    const opened = async () => openMcpConfig(testVault, await requireMcpServer(server.db, id));

    const shown = z
      .object({
        ...{ mcp_server_type: z.string(), auth_header: z.null(), auth_token: z.string() },
        ...{ server_url: z.string(), custom_headers: z.record(z.string(), z.string()) },
      })
      .parse(made.body);
    const answers = [
      made,
      await server.call('GET', '/v1/mcp-servers'),
      await server.call('GET', `/v1/mcp-servers/${id}`),
      await server.call('GET', '/v1/tools/mcp/servers'),
      await server.call('PATCH', `/v1/mcp-servers/${id}`, {
        body: { config: { ...shown, server_url: 'http://127.0.0.1:8/mcp' } },
      }),
      await server.call('PATCH', '/v1/tools/mcp/servers/kept', {
        body: { server_url: 'http://127.0.0.1:7/mcp', auth_token: mask },
      }),
      await server.call('PATCH', `/v1/mcp-servers/${id}/refresh`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 502]);
    expect(shown).toMatchObject({ auth_token: mask, custom_headers: { 'X-Key': mask } });
    expect(JSON.stringify(answers)).not.toMatch(/plain-|sealed\.1/);
    expect(await opened()).toMatchObject({
      ...{ url: 'http://127.0.0.1:7/mcp', authToken: 'plain-token', headers: { 'X-Key': 'plain-header' } },
    });
    expect([await tablesWith(server.db, 'plain-token'), await tablesWith(server.db, 'plain-header')]).toEqual(
      [[], []],
    );
    const other = { server_name: 'other', config: { ...config, auth_token: mask } };
    expect(await server.call('POST', '/v1/mcp-servers', { body: other })).toMatchObject({ status: 422 });
  });

  it('[secrets.redacted] are redacted from the errors of a tool run over REST', async () => {
    const source_code =
      'def leak():\n    """Leaks."""\n    import os\n    print(os.environ["API_KEY"])\n    raise ValueError(os.environ["API_KEY"])';
    const { body } = await server.call('POST', '/v1/tools', { body: { source_code } });
    const { id: toolId } = z.object({ id: z.string() }).parse(body);
    const { id } = await server.anAgent({ secrets, tool_ids: [toolId] });

    const ran = await server.call('POST', `/v1/agents/${id}/tools/leak/run`, { body: { args: {} } });

    expect(ran).toMatchObject({ status: 200, body: { status: 'error' } });
    expect(JSON.stringify(ran.body)).toContain('ValueError: [API_KEY]');
    expect(JSON.stringify(ran.body)).not.toContain('plain-secret');
  });

  it('[secrets.no-key] are refused with 501 without a key, while everything else works', async () => {
    const told = {
      status: 501,
      body: { detail: expect.stringMatching(/Set PERDURE_SECRET_KEY/) },
      headers: { 'x-should-retry': 'false' },
    };

    expect(await keyless.call('POST', '/v1/agents', { body: { secrets } })).toMatchObject(told);
    const { id } = await keyless.anAgent({ secrets: {} });
    expect(await keyless.call('PATCH', `/v1/agents/${id}`, { body: { secrets } })).toMatchObject(told);
    expect(await keyless.call('POST', `/v1/agents/${id}/fork`)).toMatchObject({ status: 200 });
    expect(await tablesWith(keyless.db, 'plain-secret')).toEqual([]);
  });
});
