import type { Shown } from './shown.js';

const shared = ['tools.create', 'tools.upsert', 'tools.update', 'tools.delete'];

/** Custom tools: made, changed, tried and deleted. */
export const tools: Shown = {
  test: 'test/system/conformance-tools.test.ts',
  areas: {
    'custom tools': { operations: shared },
    'runs of an agent’s tool, search': {
      clients: ['py-1', 'ts-1'],
      operations: ['agents.tools.run', 'tools.search'],
    },
    'runs of source, base tools': {
      clients: ['py-0', 'ts-0'],
      operations: ['tools.run_tool_from_source', 'tools.upsert_base_tools'],
    },
  },
};
