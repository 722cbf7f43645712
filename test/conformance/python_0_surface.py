"""letta-client 0.1.172 on counts and what only older clients ask: run with a base URL; see areas.py."""

import sys
import uuid

from areas import BLOCKS, MODEL, problem_of, run_areas, say
from letta_client import AgentsSearchRequestSearchItemOne, Letta
from letta_client.core.api_error import ApiError

client = Letta(base_url=sys.argv[1], token="none")

NO_PASSAGE = "passage-00000000-0000-4000-8000-000000000000"


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


def upkeep():
    name = f"Ada {uuid.uuid4().hex[:8]}"
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS, name=name, memory_variables={"town": "Oslo"})
    other = client.agents.create(**MODEL, memory_blocks=BLOCKS, name=f"{name} the Second")
    kept = client.agents.passages.create(agent.id, text="Mina sails.")[0]
    edited = client.agents.passages.modify(
        agent.id, kept.id, id=kept.id, text="Mina rows.", metadata={"page": 2}
    )[0]
    read = client.agents.passages.list(agent.id)
    absent = problem_of(
        lambda: client.agents.passages.modify(agent.id, NO_PASSAGE, id=NO_PASSAGE, text="Nothing."), ApiError
    )
    answer = client.agents.messages.create(agent.id, messages=say("Good morning"))
    run = client.runs.list(agent_ids=[agent.id])[0]
    steps = client.runs.steps.list(run.id)
    holders = client.blocks.agents.list(agent.memory.blocks[0].id)
    gone = client.runs.delete(run.id)
    named = AgentsSearchRequestSearchItemOne(operator="contains", value=name)
    first = client.agents.search(search=[named], limit=1)
    second = client.agents.search(search=[named], limit=1, after=first.next_cursor)
    return {
        "steps": [step.agent_id == agent.id for step in steps],
        "holders": [holder.id == agent.id for holder in holders],
        "health": client.health.check().status,
        "edited": [edited.id == kept.id, edited.text, edited.metadata],
        "read": [passage.text for passage in read],
        "absent": absent["status"],
        "deleted": [gone.id == run.id, gone.status, problem_of(lambda: client.runs.retrieve(run.id), ApiError)["status"]],
        "left": [len(answer.messages) > 0, len(client.agents.messages.list(agent.id)) > 0],
        "again": problem_of(lambda: client.runs.delete(run.id), ApiError)["status"],
        "providers": client.providers.check(),
        "variables": client.agents.memory_variables.list(agent.id).variables,
        "none": client.agents.memory_variables.list(other.id).variables,
        "found": [one.id == agent.id for one in [*first.agents, *second.agents]],
        "end": second.next_cursor,
    }


run_areas([counts, upkeep])
