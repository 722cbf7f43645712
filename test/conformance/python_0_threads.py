"""letta-client 0.1.172 on custom tools: run with a base URL; see areas.py for what it prints."""

import sys
import uuid

from areas import problem_of, run_areas
from letta_client import Letta
from letta_client.core.api_error import ApiError

client = Letta(base_url=sys.argv[1], token="none")


def status_of(call):
    return problem_of(call, ApiError)["status"]


def custom_tools():
    name = f"roll_{uuid.uuid4().hex[:8]}"
    code = f'def {name}(sides: int) -> int:\n    """Rolls a die.\n\n    Args:\n        sides (int): How many.\n    """\n'
    made = client.tools.create(source_code=f"{code}    return sides\n")
    again = client.tools.upsert(source_code=f"{code}    return sides - 1\n")
    client.tools.modify(made.id, tags=["dice"])
    read = client.tools.retrieve(made.id)
    facts = {
        "made": [made.name == name, made.tool_type, list(made.json_schema["parameters"]["properties"])],
        "same": again.id == made.id,
        "read": ["sides - 1" in read.source_code, read.tags],
        "taken": status_of(lambda: client.tools.create(source_code=f"{code}    return 1\n")),
        "wrong": status_of(lambda: client.tools.create(source_code="def broken(:")),
    }
    client.tools.delete(made.id)
    facts["deleted"] = status_of(lambda: client.tools.retrieve(made.id))
    return facts


run_areas([custom_tools])
