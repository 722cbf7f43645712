"""letta-client 1.12.1 on custom tools: run with a base URL; see areas.py for what it prints."""

import sys
import uuid

from areas import calculation, problem_of, run_areas
from letta_client import APIStatusError, Letta

client = Letta(base_url=sys.argv[1], api_key="none")


def custom_tools():
    name = f"calculate_{uuid.uuid4().hex[:8]}"
    made = client.tools.create(source_code=calculation(name, "+"), tags=["sums"])
    upserted = client.tools.upsert(source_code=calculation(name, "*"))
    changed = client.tools.update(made.id, return_char_limit=99)
    agent = client.agents.create(model="openai/scripted", embedding="openai/text-embedding-3-small", tool_ids=[made.id])
    run = client.agents.tools.run(name, agent_id=agent.id, args={"a": 21, "b": 2})
    broken = problem_of(lambda: client.tools.create(source_code="def f(:"), APIStatusError)
    client.tools.delete(made.id)
    return {
        "made": [made.name == name, made.tool_type, made.tags, made.json_schema["parameters"]["required"]],
        "upserted": [upserted.id == made.id, upserted.tags, "a * b" in upserted.source_code],
        "changed": [changed.return_char_limit, "a * b" in changed.source_code],
        "run": [run.status, run.func_return],
        "broken": broken,
        "deleted": problem_of(lambda: client.tools.retrieve(made.id), APIStatusError)["status"],
    }


run_areas([custom_tools])
