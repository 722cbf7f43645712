"""letta-client 0.1.172 on MCP servers: run with a base URL; see areas.py for what it prints."""

import sys
import uuid

from areas import problem_of, run_areas
from letta_client import Letta, StdioServerConfig, UpdateSsemcpServer
from letta_client.core.api_error import ApiError

client = Letta(base_url=sys.argv[1], token="none")

ARGS = ["node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"]


def mcp_servers():
    name = f"s{uuid.uuid4().hex[:8]}"
    config = StdioServerConfig(server_name=name, command="node", args=ARGS, env={"MOOD": "calm"})
    added = client.tools.add_mcp_server(request=config)
    offered = client.tools.list_mcp_tools_by_server(name)
    tool = client.tools.add_mcp_tool(name, "echo")
    listed = client.tools.list_mcp_servers()
    renamed = f"{name}-renamed"
    changed = client.tools.update_mcp_server(name, request=UpdateSsemcpServer(server_name=renamed))
    again = client.tools.list_mcp_servers()[renamed]
    kind = UpdateSsemcpServer(server_url="http://localhost:1/sse")
    absent = UpdateSsemcpServer(server_name="other")
    refused = [
        problem_of(lambda: client.tools.update_mcp_server(renamed, request=kind), ApiError)["status"],
        problem_of(lambda: client.tools.update_mcp_server(name, request=absent), ApiError)["status"],
    ]
    left = client.tools.delete_mcp_server(renamed)
    return {
        "added": name in [server.server_name for server in added],
        "offered": "echo" in [one.name for one in offered],
        "tool": [tool.tool_type, tool.name.endswith("echo")],
        "listed": [listed[name].command, listed[name].env],
        "changed": [changed.server_name == renamed, again.command],
        "refused": refused,
        "left": renamed in [server.server_name for server in left],
    }


run_areas([mcp_servers])
