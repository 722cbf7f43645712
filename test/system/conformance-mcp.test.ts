import { mcp } from '../conformance/shown/mcp.js';
import { conformanceModel } from '../support/conformance-model.js';
import { describeConformance } from '../support/conformance.js';
import { lastSaid } from '../support/model-server.js';

const older = {
  added: true,
  offered: true,
  tool: ['external_mcp', true],
  listed: ['node', { MOOD: '********' }],
  changed: [true, 'node'],
  refused: [422, 404],
  left: false,
};

const newer = {
  made: ['stdio', 'node', true],
  listed: true,
  tool: ['external_mcp', ['message']],
  run: ['success', true],
  wrong: 'error',
  renamed: true,
  refreshed: { added: [], updated: [], deleted: [] },
  returned: ['success', true],
  broken: 200,
  taken: 409,
  deleted: 404,
  detached: false,
};

describeConformance({
  title: 'an official client, of MCP servers',
  programs: '_mcp',
  model: (request, step) => {
    const echo = request.tools?.find((tool) => tool.function.name.endsWith('echo'));
    const calls = lastSaid(request).includes('echo') && echo !== undefined && step === 0;
    return calls
      ? { call: echo.function.name, args: { message: 'Ahoy', request_heartbeat: true } }
      : conformanceModel(request);
  },
  shown: mcp,
  requirement: () => 'wire.mcp',
  expected: ({ generation }) => ({ mcp_servers: generation === 0 ? older : newer }),
});
