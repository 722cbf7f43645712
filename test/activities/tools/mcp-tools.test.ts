import { describe, expect, it } from '@jest/globals';
import { callMcpTool } from '../../../activities/tools/mcp.js';
import { McpError, type McpServers } from '../../../adapters/mcp/mcp-server.js';
import type { Effect } from '../../../schema/turns/records.js';
import { testVault } from '../../support/runtime/vault.js';

const target = {
  id: 'mcp_server-1',
  config: { sealed: { transport: 'stdio' as const, command: 'mcp', args: [], env: {} } },
  tool: 'echo',
};

function servers(callTool: McpServers['callTool']): Parameters<typeof callMcpTool>[0] {
  return { vault: testVault, mcp: { callTool, listTools: () => Promise.reject(new Error('nobody lists')) } };
}

/** A call of the tool whose effect has this state. */
function aCall(before: 'planned' | 'started'): Parameters<typeof callMcpTool>[2] {
  const effect: Effect = {
    id: 'effect-1',
    turnId: 'run-1',
    stepId: 'step-1',
    index: 0,
    call: { id: 'c1', name: 'everything_echo', arguments: '{"message":"Ahoy"}' },
    arguments: { message: 'Ahoy' },
    requestHeartbeat: false,
    state: before,
    status: null,
    refusal: null,
    resultMessageId: 'message-1',
  };
  const agent = { id: 'agent-1', agentType: 'memgpt_agent' as const, embedding: 'perdure/use-lite' };
  return { effect, agent, start: () => Promise.resolve(before), signal: new AbortController().signal };
}

describe('a tool of an MCP server', () => {
  it('[wire.mcp] is called by the name that the server gave it', async () => {
    const deps = servers((_config, call) =>
      Promise.resolve({ ok: true, text: `${call.tool}: ${String(call.arguments['message'])}` }),
    );

    expect(await callMcpTool(deps, target, aCall('planned'))).toEqual({ ok: true, message: 'echo: Ahoy' });
  });

  it('[wire.mcp] is not called again after a crash: the model reads that the outcome is unknown', async () => {
    const deps = servers(() => Promise.reject(new Error('called again')));

    expect(await callMcpTool(deps, target, aCall('started'))).toMatchObject({
      ok: false,
      message: expect.stringMatching(/died\. Whether the call took effect is unknown\./),
    });
  });

  it.each([
    ['unreachable', 'It is away.', 'It is away.'],
    ['timeout', 'It hangs.', 'It hangs. Whether the call took effect is unknown.'],
  ] as const)('[wire.mcp] reports a failure of the server to the model: %s', async (kind, message, told) => {
    const deps = servers(() => Promise.reject(new McpError(kind, message)));

    expect(await callMcpTool(deps, target, aCall('planned'))).toEqual({ ok: false, message: told });
  });
});
