"""letta-client 0.1.172 on custom tools: run with a base URL; see areas.py for what it prints."""

import sys
import uuid

from areas import RULES, calculation, problem_of, run_areas
from letta_client import Letta
from letta_client.core.api_error import ApiError

client = Letta(base_url=sys.argv[1], token="none")


def custom_tools():
    name = f"calculate_{uuid.uuid4().hex[:8]}"
    made = client.tools.create(source_code=calculation(name, "+"), tags=["sums"])
    upserted = client.tools.upsert(source_code=calculation(name, "*"))
    changed = client.tools.modify(made.id, return_char_limit=99)
    tried = client.tools.run_tool_from_source(source_code=calculation(name, "-"), args={"a": 44, "b": 2})
    base = client.tools.upsert_base_tools()
    broken = problem_of(lambda: client.tools.create(source_code="def f(:"), ApiError)
    client.tools.delete(made.id)
    return {
        "made": [made.name == name, made.tool_type, made.tags, made.json_schema["parameters"]["required"]],
        "upserted": [upserted.id == made.id, upserted.tags, "a * b" in upserted.source_code],
        "changed": [changed.return_char_limit, "a * b" in changed.source_code],
        "tried": [tried.status, tried.tool_return],
        "base": "send_message" in [tool.name for tool in base],
        "broken": broken,
        "deleted": problem_of(lambda: client.tools.retrieve(made.id), ApiError)["status"],
    }


def tool_rules():
    agent = client.agents.create(
        model="openai/scripted", embedding="openai/text-embedding-3-small", include_base_tool_rules=False, tool_rules=RULES
    )
    sent = [known(rule) for rule in client.agents.retrieve(agent.id).tool_rules]
    changed = client.agents.modify(agent.id, tool_rules=RULES[2:3])
    return {"sent": sent == RULES, "changed": [known(rule) for rule in changed.tool_rules] == RULES[2:3]}


def known(rule):
    return {name: value for name, value in rule.model_dump().items() if value is not None}


run_areas([custom_tools, tool_rules])
