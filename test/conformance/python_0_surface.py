"""letta-client 0.1.172 on counts and what only older clients ask: run with a base URL; see areas.py."""

import sys
import uuid

from areas import BLOCKS, MODEL, run_areas
from letta_client import Letta

client = Letta(base_url=sys.argv[1], token="none")


def counts():
    tag = f"t{uuid.uuid4().hex}"
    before = [client.agents.count(), client.blocks.count()]
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS, tags=[tag])
    memory = client.agents.core_memory.retrieve(agent.id)
    return {
        "agents": client.agents.count() > before[0],
        "blocks": client.blocks.count() > before[1],
        "tools": client.tools.count() > 0,
        "tags": client.tags.list(query_text=tag) == [tag],
        "memory": [block.label for block in memory.blocks],
        "active": len(client.runs.list_active(agent_ids=[agent.id])),
        "providers": "openai" in [provider.name for provider in client.providers.list()],
    }


run_areas([counts])
