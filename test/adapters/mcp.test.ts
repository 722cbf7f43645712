import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { identifyProcess } from '../../adapters/settings/process-identity.js';
import { McpCommandsOffError } from '../../adapters/mcp/mcp-server.js';
import { openMcpServers } from '../../adapters/mcp/open-mcp-servers.js';
import { processTransport } from '../../adapters/mcp/process-transport.js';
import type { McpConfig } from '../../core/tools/mcp.js';
import { findFreePort } from '../../stack/ports.js';
import { packageFile } from '../../stack/processes.js';
import { waitFor } from '../../stack/waiting.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

const everything = packageFile('node_modules/@modelcontextprotocol/server-everything/dist/index.js');

function stdio(...args: readonly string[]): Extract<McpConfig, { readonly transport: 'stdio' }> {
  return { transport: 'stdio', command: process.execPath, args, env: {} };
}

/** A stdio server that answers each method with a result from this table, and ignores other methods. */
function answering(results: Readonly<Record<string, unknown>>, first = ''): McpConfig {
  const initialized = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'liar', version: '1' },
  };
  const script = `
    ${first}
    const results = ${JSON.stringify({ initialize: initialized, ...results })};
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id !== undefined && method in results) {
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }) + '\\n');
      }
    });`;
  return stdio('-e', script);
}

/** A stdio server that lists tools with these schemas. */
function listing(...properties: readonly object[]): McpConfig {
  const tools = properties.map((each, index) => ({
    ...{ name: `tool_${index}`, inputSchema: { type: 'object', properties: each } },
  }));
  return answering({ 'tools/list': { tools } });
}

function nested(levels: number): object {
  return Array.from({ length: levels }).reduce<object>((inner) => ({ a: { properties: inner } }), {});
}

/** A line of a script that writes its process id to a file. */
function tellingPid(file: string): string {
  return `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid));`;
}

/** Resolves to true when the process whose id is in the file has ended. */
async function ends(file: string): Promise<true | undefined> {
  const pid = Number(readFileSync(file, 'utf8'));
  return waitFor(() => identifyProcess(pid) === undefined || undefined, { timeoutMs: 90_000 });
}

describe('MCP servers', () => {
  const servers = openMcpServers({ runsCommands: true });
  const impatient = openMcpServers({ runsCommands: true, connectMs: 3_000, callMs: 1_000, graceMs: 200 });
  const directory = makeTemporaryDirectory('mcp');
  const remote: ChildProcess[] = [];
  const configs = new Map<string, McpConfig>([['stdio', stdio(everything, 'stdio')]]);

  beforeAll(async () => {
    for (const [transport, kind, path] of [
      ['streamable_http', 'streamableHttp', 'mcp'],
      ['sse', 'sse', 'sse'],
    ] as const) {
      const port = await findFreePort();
      const env = { ...process.env, PORT: String(port), NODE_OPTIONS: '' };
      remote.push(spawn(process.execPath, [everything, kind], { env, stdio: 'ignore' }));
      const url = `http://127.0.0.1:${port}/${path}`;
      configs.set(transport, { transport, url, headers: {}, authHeader: null, authToken: null });
    }
    const isUp = async (): Promise<true | undefined> => {
      const remotes = [...configs.values()].filter((config) => config.transport !== 'stdio');
      const listed = await Promise.all(
        remotes.map((config) =>
          impatient.listTools(config).then(
            () => true,
            () => false,
          ),
        ),
      );
      return listed.every(Boolean) || undefined;
    };
    expect(await waitFor(isUp, { timeoutMs: 150_000, everyMs: 200 })).toBe(true);
  });

  afterAll(() => {
    for (const child of remote) child.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  it('runs no command unless allowed [wire.commands]', async () => {
    const config = configs.get('stdio')!;
    const call = { tool: 'echo', arguments: { message: 'Ahoy' } };

    await expect(openMcpServers().listTools(config)).rejects.toBeInstanceOf(McpCommandsOffError);
    await expect(openMcpServers().callTool(config, call)).rejects.toBeInstanceOf(McpCommandsOffError);
  });

  it.each(['stdio', 'streamable_http', 'sse'])(
    '[wire.mcp] lists and calls tools over %s',
    async (transport) => {
      const config = configs.get(transport)!;
      const tools = await servers.listTools(config);
      const echo = tools.find(({ name }) => name === 'echo');
      const said = await servers.callTool(config, { tool: 'echo', arguments: { message: 'Ahoy' } });

      expect(echo).toMatchObject({
        description: expect.any(String),
        parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      });
      expect(said).toEqual({ ok: true, text: expect.stringContaining('Ahoy') });
    },
  );

  it('[wire.mcp] returns a tool’s error as its result', async () => {
    const config = configs.get('streamable_http')!;
    const wrong = await servers.callTool(config, { tool: 'echo', arguments: { message: 5 } });

    expect(wrong).toEqual({ ok: false, text: expect.stringContaining('message') });
  });

  it('[wire.mcp] ends a hanging server with its child processes, and reports a timeout', async () => {
    const [file, childFile] = [join(directory, 'pid'), join(directory, 'child-pid')];
    const child = `${tellingPid(childFile)} setInterval(() => {}, 1000);`;
    const script = `${tellingPid(file)}
      require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'ignore' });`;

    await expect(impatient.listTools(stdio('-e', script))).rejects.toMatchObject({
      name: 'McpError',
      kind: 'timeout',
      message: expect.stringContaining('did not answer in time'),
    });
    expect([await ends(file), await ends(childFile)]).toEqual([true, true]);
  });

  it('[mcp.daemons] ends a daemon that a server leaves behind in a session of its own', async () => {
    const [file, other] = [join(directory, 'daemon-pid'), join(directory, 'other-pid')];
    const daemon = (told: string) =>
      `(setsid sh -c 'trap "" HUP TERM; echo $$ > ${told}.new; mv ${told}.new ${told}; sleep 300 & wait' </dev/null >/dev/null 2>&1 &)`;
    const serving = (told: string): McpConfig => ({
      ...{ transport: 'stdio', command: 'sh', env: {} },
      args: [
        '-c',
        `${daemon(told)}; until test -s ${told}; do :; done; exec ${process.execPath} ${everything} stdio`,
      ],
    });
    const client = processTransport(serving(other) as Parameters<typeof processTransport>[0], {
      take: () => true,
      graceMs: 2_000,
    });
    await client.start();
    const isThere = () => (existsSync(other) ? true : undefined);
    expect(await waitFor(isThere, { timeoutMs: 30_000 })).toBe(true);

    expect(await servers.listTools(serving(file))).not.toEqual([]);

    expect(await ends(file)).toBe(true);
    // The daemon of another connection lives as long as that connection.
    expect(identifyProcess(Number(readFileSync(other, 'utf8')))).toBeDefined();
    await client.close();
    expect(await ends(other)).toBe(true);
  });

  it('[wire.mcp] ignores output of a server that is not a message', async () => {
    const tools = [{ name: 'wait', inputSchema: { type: 'object' } }];
    const config = answering({ 'tools/list': { tools } }, "console.log('Listening …');");

    expect(await servers.listTools(config)).toMatchObject([{ name: 'wait' }]);
  });

  it.each(['x', JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: {} })])(
    '[wire.mcp] cuts off a process that floods with %s',
    async (line) => {
      const file = join(directory, `flood-pid-${line.length}`);
      const script = `
        ${tellingPid(file)}
        const lines = (${JSON.stringify(line)} + '\\n').repeat(10_000);
        const flood = () => process.stdout.write(lines, flood);
        flood();`;

      await expect(servers.listTools(stdio('-e', script))).rejects.toMatchObject({
        kind: 'protocol',
        message: expect.stringContaining('sent more than any answer can need'),
      });
      expect(await ends(file)).toBe(true);
    },
  );

  it.each([
    ['an event stream', 'text/event-stream', 'data: {}\n\n'],
    ['a document', 'application/json', `"${'x'.repeat(1_000)}",`],
  ])('[wire.mcp] cuts off a server that answers with %s without an end', async (_what, type, piece) => {
    const flood = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': type });
      const write = (): void => {
        if (!response.destroyed) response.write(piece.repeat(1_000), write);
      };
      write();
    });
    await once(flood.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(flood.address() as AddressInfo).port}/mcp`;
    try {
      await expect(
        servers.listTools({
          transport: 'streamable_http',
          url,
          headers: {},
          authHeader: null,
          authToken: null,
        }),
      ).rejects.toMatchObject({
        kind: 'protocol',
        message: expect.stringContaining('sent more than any answer can need'),
      });
    } finally {
      flood.closeAllConnections();
      flood.close();
    }
  });

  it('[wire.mcp] reports a process that it may not kill, and continues', async () => {
    const script = "process.stdout.write('x\\n'); setInterval(() => {}, 1_000);";
    const transport = processTransport(stdio('-e', script), { take: () => false, graceMs: 200 });
    const reported = new Promise<Error>((resolve) => (transport.onerror = resolve));
    const refused = Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    const signals = jest.spyOn(process, 'kill').mockImplementation(() => {
      throw refused;
    });

    await transport.start();
    const error = await reported;
    signals.mockRestore();
    await transport.close();

    expect(error).toBe(refused);
  });

  it('[wire.mcp] abandons a call that hangs', async () => {
    const tools = [{ name: 'wait', inputSchema: { type: 'object' } }];
    const config = answering({ 'tools/list': { tools } });
    const hasty = openMcpServers({ runsCommands: true, callMs: 200, graceMs: 200 });

    expect(await hasty.listTools(config)).toMatchObject([{ name: 'wait', parameters: { properties: {} } }]);
    await expect(hasty.callTool(config, { tool: 'wait', arguments: {} })).rejects.toMatchObject({
      kind: 'timeout',
    });
  });

  it('[tools.hostile-schemas] accepts several schemas with the same id', async () => {
    const named = { $id: 'https://example.com/one', type: 'object' };
    const tools = ['one', 'two'].map((name) => ({ name, inputSchema: named }));
    const config = answering({ 'tools/list': { tools } });

    expect(await servers.listTools(config)).toHaveLength(2);
    expect(await servers.listTools(config)).toHaveLength(2);
  });

  it('[tools.hostile-schemas] ignores output schemas', async () => {
    const inputSchema = { type: 'object', properties: {} };
    const outputSchema = { type: 'object', properties: { a: { pattern: '(' } } };
    const config = answering({ 'tools/list': { tools: [{ name: 'one', inputSchema, outputSchema }] } });

    expect(await servers.listTools(config)).toMatchObject([{ name: 'one' }]);
  });

  it.each([
    ['a missing command', { ...stdio(), command: '/nowhere/mcp' }, 'unreachable'],
    ['a command that ends at once', stdio('-e', 'process.exit(3)'), 'unreachable'],
    [
      'an address without a listener',
      {
        transport: 'streamable_http' as const,
        url: 'http://127.0.0.1:9/mcp',
        headers: {},
        authHeader: null,
        authToken: null,
      },
      'unreachable',
    ],
    [
      'a schema that is not of an object',
      answering({ 'tools/list': { tools: [{ name: 'lie', inputSchema: { type: 'string' } }] } }),
      'protocol',
    ],
    [
      'an invalid schema',
      answering({
        'tools/list': {
          tools: [{ name: 'lie', inputSchema: { type: 'object', properties: { a: { type: 'nonsense' } } } }],
        },
      }),
      'protocol',
    ],
    ['a schema nested too deeply', listing(nested(150)), 'protocol'],
    ['more tools than the limit', listing(...Array.from({ length: 1_001 }, () => ({}))), 'protocol'],
    ['a list that never ends', answering({ 'tools/list': { tools: [], nextCursor: 'more' } }), 'protocol'],
  ])('[wire.mcp] refuses %s', async (_what, config, kind) => {
    await expect(impatient.listTools(config)).rejects.toMatchObject({ name: 'McpError', kind });
  });
});
