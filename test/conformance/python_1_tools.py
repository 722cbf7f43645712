"""letta-client 1.12.1 on custom tools: run with a base URL; see areas.py for what it prints."""

import sys
import uuid

from areas import RULES, calculation, problem_of, run_areas
from letta_client import APIStatusError, Letta

client = Letta(base_url=sys.argv[1], api_key="none")


def custom_tools():
    name = f"calculate_{uuid.uuid4().hex[:8]}"
    made = client.tools.create(source_code=calculation(name, "+"), tags=["sums"])
    upserted = client.tools.upsert(source_code=calculation(name, "*"))
    changed = client.tools.update(made.id, return_char_limit=99)
    agent = client.agents.create(model="openai/scripted", embedding="openai/text-embedding-3-small", tool_ids=[made.id])
    run = client.agents.tools.run(name, agent_id=agent.id, args={"a": 21, "b": 2})
    found = client.tools.search(query=name, search_mode="fts", tags=["sums"])
    broken = problem_of(lambda: client.tools.create(source_code="def f(:"), APIStatusError)
    client.tools.delete(made.id)
    return {
        "made": [made.name == name, made.tool_type, made.tags, made.json_schema["parameters"]["required"]],
        "upserted": [upserted.id == made.id, upserted.tags, "a * b" in upserted.source_code],
        "changed": [changed.return_char_limit, "a * b" in changed.source_code],
        "run": [run.status, run.func_return],
        "found": found[0].tool.id == made.id,
        "broken": broken,
        "deleted": problem_of(lambda: client.tools.retrieve(made.id), APIStatusError)["status"],
    }


def tool_rules():
    agent = client.agents.create(
        model="openai/scripted", embedding="openai/text-embedding-3-small", include_base_tool_rules=False, tool_rules=RULES
    )
    sent = [known(rule) for rule in client.agents.retrieve(agent.id).tool_rules]
    changed = client.agents.update(agent.id, tool_rules=RULES[2:3])
    return {"sent": sent == RULES, "changed": [known(rule) for rule in changed.tool_rules] == RULES[2:3]}


def known(rule):
    return {name: value for name, value in rule.model_dump().items() if value is not None}


run_areas([custom_tools, tool_rules])
