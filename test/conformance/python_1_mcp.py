"""letta-client 1.12.1 on MCP servers: run with a base URL; see areas.py for what it prints."""

import sys
import uuid

from areas import BLOCKS, MODEL, problem_of, run_areas, say
from letta_client import APIStatusError, Letta

client = Letta(base_url=sys.argv[1], api_key="none")

EVERYTHING = {
    "mcp_server_type": "stdio",
    "command": "node",
    "args": ["node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"],
}


def mcp_servers():
    name = f"s{uuid.uuid4().hex[:8]}"
    made = client.mcp_servers.create(server_name=name, config=EVERYTHING)
    listed = [server.id for server in client.mcp_servers.list()]
    echo = next(tool for tool in client.mcp_servers.tools.list(made.id) if tool.name.endswith("echo"))
    retrieved = client.mcp_servers.tools.retrieve(echo.id, mcp_server_id=made.id)
    run = client.mcp_servers.tools.run(echo.id, mcp_server_id=made.id, args={"message": "Ahoy"})
    wrong = client.mcp_servers.tools.run(echo.id, mcp_server_id=made.id, args={"message": 5})
    renamed = client.mcp_servers.update(made.id, server_name=f"{name}_renamed", config=EVERYTHING)
    refreshed = client.mcp_servers.refresh(made.id)
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS, tool_ids=[echo.id])
    response = client.agents.messages.create(agent.id, messages=say("Good morning, echo"))
    returned = next(one for one in response.messages if one.message_type == "tool_return_message")
    broken = lambda: client.mcp_servers.create(server_name="broken py", config={"command": "/nowhere/mcp", "args": []})
    facts = {
        "made": [made.mcp_server_type, made.command, made.server_name == name],
        "listed": made.id in listed,
        "tool": [retrieved.tool_type, retrieved.json_schema["parameters"]["required"]],
        "run": [run.status, "Ahoy" in run.func_return],
        "wrong": wrong.status,
        "renamed": client.mcp_servers.retrieve(made.id).server_name == f"{name}_renamed" == renamed.server_name,
        "refreshed": refreshed,
        "returned": [returned.status, "Ahoy" in returned.tool_return],
        "broken": problem_of(broken, APIStatusError)["status"],
        "taken": problem_of(
            lambda: client.mcp_servers.create(server_name=f"{name}_renamed", config=EVERYTHING), APIStatusError
        )["status"],
    }
    client.mcp_servers.delete(made.id)
    facts["deleted"] = problem_of(lambda: client.mcp_servers.retrieve(made.id), APIStatusError)["status"]
    facts["detached"] = echo.id in [tool.id for tool in client.agents.tools.list(agent.id)]
    return facts


run_areas([mcp_servers])
