import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMcpServer, newMcpServerId } from '../../../schema/tools/mcp-servers.js';
import { packageFile } from '../../../stack/processes.js';
import { requireMcpServer, updateMcpServer } from '../../../schema/tools/mcp-servers.js';
import { listMcpTools } from '../../../schema/tools/mcp-tools.js';
import { startTestServer, type TestServer } from '../test-server.js';

const everything = packageFile('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const stdio = { command: process.execPath, args: [everything, 'stdio'] };

describe('MCP servers over REST', () => {
  let usual: TestServer;
  let server: TestServer;
  let exposed: TestServer;

  beforeAll(async () => {
    [usual, server, exposed] = await Promise.all([
      startTestServer(),
      startTestServer({ settings: { mcpCommands: true } }),
      startTestServer({ settings: { mcpCommands: true, allowsCommands: false } }),
    ]);
  });

  afterAll(() => Promise.all([usual.close(), server.close(), exposed.close()]));

  it('[wire.mcp] changes a server by name and keeps its tools while it is unreachable', async () => {
    const url = '/v1/tools/mcp/servers';
    await server.call('PUT', url, { body: { server_name: 'all', ...stdio } });
    const change = (command: string) =>
      server.call('PATCH', `${url}/all`, {
        body: { stdio_config: { ...stdio, command, env: { MOOD: command } } },
      });

    expect(await change(process.execPath)).toMatchObject({
      status: 200,
      body: { server_name: 'all', type: 'stdio', env: { MOOD: '********' } },
    });
    const { id } = await requireMcpServer(server.db, 'all');
    const known = await listMcpTools(server.db, id);
    expect(await change('/nowhere/mcp')).toMatchObject({ status: 200 });
    expect(await server.call('GET', url)).toMatchObject({ body: { all: { command: '/nowhere/mcp' } } });
    expect(known.length).toBeGreaterThan(0);
    expect(await listMcpTools(server.db, id)).toEqual(known);
    expect(await server.call('PATCH', `/v1/mcp-servers/${id}/refresh`)).toMatchObject({
      status: 502,
      body: {
        detail: expect.stringMatching(/`\/nowhere\/mcp .*can't be connected to: .* Run the command by hand/),
      },
      headers: { 'x-should-retry': 'false' },
    });
  });

  it('[wire.mcp] registers an unreachable server and lists its tools when it is back', async () => {
    const config = { mcp_server_type: 'streamable_http', server_url: 'http://127.0.0.1:9/mcp' };
    const made = await server.call('POST', '/v1/mcp-servers', { body: { server_name: 'away', config } });
    const { id } = made.body as { id: string };
    const toolsOf = async () =>
      (await server.call('GET', `/v1/mcp-servers/${id}/tools`)).body as readonly unknown[];

    expect(made.status).toBe(200);
    expect(await toolsOf()).toEqual([]);
    // The same registration now leads to a running server.
    const sealed = { transport: 'stdio' as const, ...stdio, env: {} };
    await updateMcpServer(server.db, id, { name: 'away', config: { sealed } });
    expect((await toolsOf()).length).toBeGreaterThan(0);
  });

  it('[wire.mcp] prefixes a tool with its server’s name if its own name is taken', async () => {
    const config = { mcp_server_type: 'stdio', ...stdio };
    for (const name of ['one', 'two']) {
      await server.call('POST', '/v1/mcp-servers', { body: { server_name: name, config } });
    }
    const { body } = await server.call('GET', '/v1/tools?limit=100');
    const names = (body as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name.endsWith('echo'));

    expect(names.sort()).toEqual(expect.arrayContaining(['echo', 'two_echo']));
    expect(new Set(names).size).toBe(names.length);
  });

  it('[wire.commands] refuses commands unless the settings allow them', async () => {
    const config = { mcp_server_type: 'stdio', ...stdio };
    const refusal = { status: 403, body: { detail: expect.stringContaining('PERDURE_MCP_COMMANDS=true') } };
    const { id } = await createMcpServer(usual.db, {
      id: newMcpServerId(),
      name: 'earlier',
      config: { sealed: { transport: 'stdio', ...stdio, env: {} } },
    });

    expect(
      await usual.call('POST', '/v1/mcp-servers', { body: { server_name: 'all', config } }),
    ).toMatchObject(refusal);
    expect(
      await usual.call('PUT', '/v1/tools/mcp/servers', { body: { server_name: 'all', ...stdio } }),
    ).toMatchObject(refusal);
    expect(await usual.call('PATCH', `/v1/mcp-servers/${id}`, { body: { config } })).toMatchObject(refusal);
    expect(await usual.call('PATCH', `/v1/mcp-servers/${id}/refresh`)).toMatchObject(refusal);
  });

  it('[wire.mcp] refuses commands on a server that strangers can reach', async () => {
    const config = { mcp_server_type: 'stdio', ...stdio };

    expect(
      await exposed.call('POST', '/v1/mcp-servers', { body: { server_name: 'all', config } }),
    ).toMatchObject({ status: 403, body: { detail: expect.stringContaining('LETTA_SERVER_PASSWORD') } });
  });

  it.each([
    ['a config without command or address', {}],
    ['an address that is not HTTP', { mcp_server_type: 'sse', server_url: 'file:///etc/passwd' }],
  ])('[wire.mcp] refuses %s with 422', async (_what, config) => {
    expect(
      await server.call('POST', '/v1/mcp-servers', { body: { server_name: 'bad', config } }),
    ).toMatchObject({ status: 422 });
  });
});
