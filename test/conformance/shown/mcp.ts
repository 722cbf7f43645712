import type { Shown } from './shown.js';

/** MCP servers and their tools, also as an agent calls them. */
export const mcp: Shown = {
  test: 'test/system/conformance-mcp.test.ts',
  areas: {
    'mcp servers': {
      clients: ['py-1', 'ts-1'],
      operations: [
        'mcp_servers.create',
        'mcp_servers.retrieve',
        'mcp_servers.update',
        'mcp_servers.list',
        'mcp_servers.delete',
        'mcp_servers.refresh',
        'mcp_servers.tools.list',
        'mcp_servers.tools.retrieve',
        'mcp_servers.tools.run',
      ],
    },
    'mcp servers by name': {
      clients: ['py-0', 'ts-0'],
      operations: [
        'tools.list_mcp_servers',
        'tools.add_mcp_server',
        'tools.update_mcp_server',
        'tools.delete_mcp_server',
        'tools.list_mcp_tools_by_server',
        'tools.add_mcp_tool',
      ],
    },
  },
};
