"""letta-client 0.1.172 against a server: run with its base URL; see areas.py for what it prints."""

import sys
import uuid

from areas import BLOCKS, MODEL, label_or_true, problem_of, run_areas, say, stream_facts, wait_until_ended
from letta_client import Letta
from letta_client.core.api_error import ApiError

client = Letta(base_url=sys.argv[1], token="none")


def an_agent(**fields):
    return client.agents.create(**{**MODEL, "memory_blocks": BLOCKS, **fields})


def agents():
    tag = str(uuid.uuid4())
    made = [an_agent(name=f"agent {index}", tags=[tag], description="new") for index in range(3)]
    first = client.agents.retrieve(made[0].id)
    page = client.agents.list(tags=[tag], limit=2)
    rest = client.agents.list(tags=[tag], limit=2, after=page[-1].id)
    client.agents.modify(made[0].id, name="renamed", description="changed", tags=[tag, "more"])
    changed = client.agents.retrieve(made[0].id)
    found = client.agents.list(name="renamed", tags=[tag])
    client.agents.delete(made[0].id)
    return {
        "created": [made[0].name, made[0].agent_type, made[0].description],
        "labels": [block.label for block in first.memory.blocks],
        "model": first.llm_config.handle,
        "embedding": first.embedding_config.handle,
        "pages": [[agent.name for agent in page], [agent.name for agent in rest]],
        "changed": [changed.name, changed.description, len(changed.tags)],
        "found": [agent.id == made[0].id for agent in found],
        "deleted": problem_of(lambda: client.agents.retrieve(made[0].id), ApiError)["status"],
        "left": len(client.agents.list(tags=[tag])),
    }


def blocks():
    agent = an_agent()
    label = f"notes-{uuid.uuid4()}"
    block = client.blocks.create(label=label, value="one", limit=100, description="Notes.")
    client.agents.blocks.attach(agent.id, block.id)
    attached = [one.label for one in client.agents.blocks.list(agent.id)]
    client.agents.blocks.modify(agent.id, label, value="two")
    by_id = client.blocks.retrieve(block.id)
    client.blocks.modify(block.id, value="three")
    by_label = client.agents.blocks.retrieve(agent.id, label)
    client.agents.blocks.detach(agent.id, block.id)
    detached = [one.label for one in client.agents.blocks.list(agent.id)]
    listed = client.blocks.list(label=label)
    client.blocks.delete(block.id)
    return {
        "created": [block.value, block.limit, block.description, block.read_only],
        "attached": label_or_true(attached, label),
        "values": [by_id.value, by_label.value],
        "detached": detached,
        "listed": [one.value for one in listed],
        "deleted": problem_of(lambda: client.blocks.retrieve(block.id), ApiError)["status"],
    }


def passages():
    agent = an_agent()
    made = [client.agents.passages.create(agent.id, text=text)[0] for text in ("Mina sails.", "Sid sings.", "Ada sows.")]
    page = client.agents.passages.list(agent.id, limit=2)
    rest = client.agents.passages.list(agent.id, limit=2, after=page[-1].id)
    found = client.agents.passages.list(agent.id, search="sings")
    client.agents.passages.delete(agent.id, made[0].id)
    return {
        "pages": [[one.text for one in page], [one.text for one in rest]],
        "found": [one.text for one in found],
        "left": [one.text for one in client.agents.passages.list(agent.id)],
    }


def messages():
    agent = an_agent()
    response = client.agents.messages.create(agent.id, messages=say("Good morning"))
    run = client.agents.messages.create_async(agent.id, messages=say("Good evening"))
    ended = wait_until_ended(lambda: client.runs.retrieve(run.id))
    page = client.agents.messages.list(agent.id, limit=2)
    rest = client.agents.messages.list(agent.id, limit=100, before=page[0].id)
    return {
        "types": [message.message_type for message in response.messages],
        "said": response.messages[-1].content,
        "stop": response.stop_reason.stop_reason,
        "steps": response.usage.step_count,
        "tokens": response.usage.prompt_tokens > 0 and response.usage.completion_tokens > 0,
        "async": ended.status,
        "history": [message.message_type for message in [*rest, *page]],
    }


def stream():
    agent = an_agent()
    whole = list(client.agents.messages.create_stream(agent.id, messages=say("Good morning")))
    tokens = list(client.agents.messages.create_stream(agent.id, messages=say("Good evening"), stream_tokens=True))
    return stream_facts(whole, tokens)


def runs():
    agent = an_agent()
    run = client.agents.messages.create_async(agent.id, messages=say("Good morning"))
    ended = wait_until_ended(lambda: client.runs.retrieve(run.id))
    steps = client.runs.steps.list(run.id)
    step = client.steps.retrieve(steps[0].id)
    usage = client.runs.usage.retrieve(run.id)
    return {
        "status": ended.status,
        "listed": [one.id == run.id for one in client.runs.list(agent_ids=[agent.id])],
        "active": len(client.runs.list_active(agent_ids=[agent.id])),
        "said": client.runs.messages.list(run.id)[-1].content,
        "step": [step.job_id == run.id, step.model, step.total_tokens == usage.total_tokens],
        "ofAgent": len(client.steps.list(agent_id=agent.id)),
    }


def tools():
    agent = an_agent()
    found = client.tools.list(name="conversation_search_date")
    client.agents.tools.attach(agent.id, found[0].id)
    attached = [tool.name for tool in client.agents.tools.list(agent.id)]
    client.agents.tools.detach(agent.id, found[0].id)
    detached = [tool.name for tool in client.agents.tools.list(agent.id)]
    return {
        "found": [tool.name for tool in found],
        "retrieved": client.tools.retrieve(found[0].id).json_schema["name"],
        "attached": "conversation_search_date" in attached,
        "detached": "conversation_search_date" in detached,
        "base": sorted(detached),
    }


def models():
    return {
        "models": "openai/scripted" in [model.handle for model in client.models.list()],
        "embeddings": "openai/text-embedding-3-small" in [model.handle for model in client.embedding_models.list()],
        "health": client.health.check().status,
    }


def errors():
    unknown = f"agent-{uuid.uuid4()}"
    agent = an_agent()
    block = client.blocks.create(label="small", value="one", limit=5)
    return {
        "unknown": problem_of(lambda: client.agents.retrieve(unknown), ApiError),
        "malformed": problem_of(lambda: client.agents.retrieve("agent-1"), ApiError),
        "unsent": problem_of(lambda: client.agents.messages.create(unknown, messages=say("Hello")), ApiError),
        "label": problem_of(lambda: client.agents.blocks.retrieve(agent.id, "nothing"), ApiError),
        "limit": problem_of(lambda: client.blocks.modify(block.id, value="too long"), ApiError),
        "model": problem_of(lambda: an_agent(model="nobody/model"), ApiError),
    }


run_areas([agents, blocks, passages, messages, stream, runs, tools, models, errors])
