import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { attachTool } from '../../../schema/tools/agent-tools.js';
import { issueToolToken } from '../../../schema/tools/tokens.js';
import { wireTool } from '../../../server/tools/tools-wire.js';
import { startTestServer, type TestServer } from '../test-server.js';

const sourceOf = (name: string) => `def ${name}():\n    """Do it."""\n    return "did ${name}"\n`;

let server: TestServer;
let asTool: Record<string, string>;
/** The tool's agent, another agent that it leads, and tools by name. Calls of `pay` need approval for the first, calls of `fire` for the second. */
let ids: Record<'agent' | 'other' | 'pay' | 'free' | 'fire' | 'wary', string>;

beforeAll(async () => {
  server = await startTestServer();
  const toolOf = async (name: string, more: object = {}) =>
    (await server.read(wireTool, 'POST', '/v1/tools', { body: { source_code: sourceOf(name), ...more } })).id;
  const [pay, free, fire] = [await toolOf('pay'), await toolOf('free'), await toolOf('fire')];
  const wary = await toolOf('wary', { default_requires_approval: true });
  const waiting = (tool: string) => [{ type: 'requires_approval', tool_name: tool }];
  const { id: agent } = await server.anAgent({ tool_ids: [pay, free], tool_rules: waiting('pay') });
  const { id: other } = await server.anAgent({ tool_ids: [fire, free], tool_rules: waiting('fire') });
  await server.call('POST', '/v1/groups', {
    body: {
      ...{ agent_ids: [other], description: 'What the first agent leads.' },
      manager_config: { manager_type: 'supervisor', manager_agent_id: agent },
    },
  });
  const caller = { agentId: agent, turnId: null, stepId: null, toolCallId: null, effectId: null };
  asTool = { 'x-perdure-tool-token': await issueToolToken(server.db, caller, 600_000) };
  ids = { agent, other, pay, free, fire, wary };
});
afterAll(() => server.close());

/** Fills each `{name}` in a path with an id. */
const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: keyof typeof ids) => ids[name]);

const mcpServer = { server_name: 'shell', config: { mcp_server_type: 'stdio', command: 'sh', args: [] } };
const decision = {
  type: 'approval',
  approvals: [{ type: 'approval', tool_call_id: 'call-1', approve: true }],
};

type Row = [
  what: string,
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body: object | undefined,
  why: RegExp,
];

describe('[tools.scope] a running tool', () => {
  it.each<Row>([
    ['registering an MCP server', 'POST', '/v1/mcp-servers', mcpServer, /MCP servers are/],
    [
      ...(['registering an MCP server through the older route', 'PUT', '/v1/tools/mcp/servers'] as const),
      { server_name: 'shell', type: 'stdio', command: 'sh', args: [], stdio_config: {} },
      /MCP servers are/,
    ],
    ['creating a tool from source', 'POST', '/v1/tools', { source_code: sourceOf('mine') }, /Tools are made/],
    [
      'replacing another tool’s source',
      'PUT',
      '/v1/tools',
      { source_code: sourceOf('pay') },
      /Tools are made/,
    ],
    ['changing source', 'PATCH', '/v1/tools/{free}', { source_code: sourceOf('free') }, /Tools are made/],
    ['running source', 'POST', '/v1/tools/run', { source_code: sourceOf('x'), args: {} }, /Tools are made/],
    ['deleting a tool', 'DELETE', '/v1/tools/{free}', undefined, /Tools are made/],
    [
      'running a tool that needs approval',
      'POST',
      '/v1/agents/{agent}/tools/pay/run',
      { args: {} },
      /Calls of pay need an approval/,
    ],
    [
      'running a tool that needs approval for another agent',
      'POST',
      '/v1/agents/{other}/tools/fire/run',
      { args: {} },
      /Calls of fire need an approval/,
    ],
    [
      'attaching its approval-bound tool to another agent',
      'PATCH',
      '/v1/agents/{other}/tools/attach/{pay}',
      undefined,
      /Calls of pay need an approval/,
    ],
    [
      'attaching a tool that needs approval by default',
      'PATCH',
      '/v1/agents/{agent}/tools/attach/{wary}',
      undefined,
      /Calls of wary need an approval/,
    ],
    [
      'creating an agent with an approval-bound tool',
      'POST',
      '/v1/agents',
      { model: 'perdure/demo', tools: ['pay'] },
      /Calls of pay need an approval/,
    ],
    ['changing tool rules', 'PATCH', '/v1/agents/{agent}', { tool_rules: [] }, /An agent’s tool_rules are/],
    ['changing secrets', 'PATCH', '/v1/agents/{agent}', { secrets: { A: 'b' } }, /An agent’s secrets are/],
    [
      ...(['dropping the need for approval', 'PATCH', '/v1/agents/{agent}/tools/approval/pay'] as const),
      { requires_approval: false },
      /Whether calls wait/,
    ],
    [
      'sending an approval',
      'POST',
      '/v1/agents/{agent}/messages',
      { messages: [decision] },
      /Calls that wait are decided/,
    ],
    [
      ...(['sending an approval in the background', 'POST', '/v1/agents/{other}/messages/async'] as const),
      { messages: [decision] },
      /Calls that wait are decided/,
    ],
  ])('is kept from %s', async (_, method, path, body, why) => {
    const answer = await server.call(method, filled(path), { headers: asTool, body });

    expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringMatching(why) } });
  });

  it('may use agents, messages, blocks, passages and tools without approval', async () => {
    const headers = asTool;
    const agent = filled('/v1/agents/{agent}');
    const message = { messages: [{ role: 'user', content: 'Hello' }] };

    const answers = [
      await server.call('GET', agent, { headers }),
      await server.call('GET', '/v1/tools', { headers }),
      await server.call('PATCH', agent, { headers, body: { description: 'New.' } }),
      await server.call('POST', filled('/v1/agents/{other}/messages/async'), { headers, body: message }),
      await server.call('POST', '/v1/blocks', { headers, body: { label: 'plan', value: 'a' } }),
      await server.call('POST', '/v1/agents', { headers, body: { tools: ['archival_memory_search'] } }),
      await server.call('PATCH', filled('/v1/agents/{other}/tools/detach/{free}'), { headers }),
      await server.call('PATCH', filled('/v1/agents/{other}/tools/attach/{free}'), { headers }),
    ];
    const ran = await server.call('POST', `${agent}/tools/free/run`, { headers, body: { args: {} } });

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(ran).toMatchObject({ status: 200, body: { status: 'success', func_return: 'did free' } });
  });

  it('may only read its agent and run its tools if a model wrote it', async () => {
    const caller = { agentId: ids.agent, turnId: null, stepId: null, toolCallId: null, effectId: null };
    const token = await issueToolToken(server.db, { ...caller, writtenBy: 'model' }, 600_000);
    const headers = { 'x-perdure-tool-token': token };
    const ask = async (method: 'GET' | 'POST', path: string, body?: object) =>
      (await server.call(method, filled(path), { headers, body })).status;

    const open = [
      await ask('GET', '/v1/agents/{agent}/messages'),
      await ask('GET', '/v1/agents/{agent}/core-memory/blocks'),
      await ask('GET', '/v1/agents/{agent}/archival-memory'),
      await ask('POST', '/v1/agents/{agent}/tools/free/run', { args: {} }),
    ];
    const closed = [
      await ask('GET', '/v1/agents'),
      await ask('GET', '/v1/agents/{agent}'),
      await ask('GET', '/v1/agents/{agent}/export'),
      await ask('GET', '/v1/agents/{other}/messages'),
      await ask('GET', '/v1/mcp-servers'),
      await ask('POST', '/v1/agents/{agent}/tools/pay/run', { args: {} }),
      await ask('POST', '/v1/agents/{other}/tools/free/run', { args: {} }),
      await ask('POST', '/v1/agents/{agent}/messages/async', { input: 'Hello' }),
    ];

    expect(open).toEqual(open.map(() => 200));
    expect(closed).toEqual(closed.map(() => 403));
    const cut = { 'x-perdure-tool-token': token.replace(/^model\./, '') };
    expect((await server.call('GET', '/v1/agents', { headers: cut })).status).toBe(401);
  });

  it('leaves the refused changes to users', async () => {
    await attachTool(server.db, ids.other, ids.wary);
    const path = filled('/v1/agents/{other}/tools/approval/wary');

    expect(await server.call('PATCH', path, { body: { requires_approval: false } })).toMatchObject({
      status: 200,
    });
  });
});
