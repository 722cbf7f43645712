"""letta-client 1.12.1 against a server: run with its base URL; see areas.py for what it prints."""

import sys
import uuid

from areas import BLOCKS, MODEL, label_or_true, problem_of, run_areas, say, stream_facts, wait_until_ended
from letta_client import APIStatusError, Letta

client = Letta(base_url=sys.argv[1], api_key="none")


def an_agent(**fields):
    return client.agents.create(**{**MODEL, "memory_blocks": BLOCKS, **fields})


def agents():
    tag = str(uuid.uuid4())
    made = [an_agent(name=f"agent {index}", tags=[tag], description="new") for index in range(3)]
    first = client.agents.retrieve(made[0].id)
    pages = client.agents.list(tags=[tag], limit=2).iter_pages()
    client.agents.update(made[0].id, name="renamed", description="changed", tags=[tag, "more"])
    changed = client.agents.retrieve(made[0].id)
    found = list(client.agents.list(name="renamed", tags=[tag]))
    facts = {
        "created": [made[0].name, made[0].agent_type, made[0].description],
        "labels": [block.label for block in first.blocks],
        "model": first.model,
        "embedding": first.embedding,
        "pages": [[agent.name for agent in page.items] for page in pages if page.items],
        "changed": [changed.name, changed.description, len(changed.tags)],
        "found": [agent.id == made[0].id for agent in found],
    }
    client.agents.delete(made[0].id)
    facts["deleted"] = problem_of(lambda: client.agents.retrieve(made[0].id), APIStatusError)["status"]
    facts["left"] = len(list(client.agents.list(tags=[tag])))
    return facts


def blocks():
    agent = an_agent()
    label = f"notes-{uuid.uuid4()}"
    block = client.blocks.create(label=label, value="one", limit=100, description="Notes.")
    client.agents.blocks.attach(block.id, agent_id=agent.id)
    attached = [one.label for one in client.agents.blocks.list(agent.id)]
    having = [one.id == agent.id for one in client.blocks.agents.list(block.id)]
    client.agents.blocks.update(label, agent_id=agent.id, value="two")
    by_id = client.blocks.retrieve(block.id)
    client.blocks.update(block.id, value="three")
    by_label = client.agents.blocks.retrieve(label, agent_id=agent.id)
    client.agents.blocks.detach(block.id, agent_id=agent.id)
    detached = [one.label for one in client.agents.blocks.list(agent.id)]
    listed = list(client.blocks.list(label=label))
    client.blocks.delete(block.id)
    return {
        "created": [block.value, block.limit, block.description, block.read_only],
        "attached": label_or_true(attached, label),
        "having": having,
        "values": [by_id.value, by_label.value],
        "detached": detached,
        "listed": [one.value for one in listed],
        "deleted": problem_of(lambda: client.blocks.retrieve(block.id), APIStatusError)["status"],
    }


def passages():
    agent = an_agent()
    texts = ("Mina sails.", "Sid sings.", "Ada sows.")
    made = [client.agents.passages.create(agent.id, text=text, tags=["who"])[0] for text in texts]
    page = client.agents.passages.list(agent.id, limit=2)
    rest = client.agents.passages.list(agent.id, limit=2, after=page[-1].id)
    found = client.agents.passages.search(agent.id, query="who sings", tags=["who"], top_k=1)
    client.agents.passages.delete(made[0].id, agent_id=agent.id)
    return {
        "pages": [[one.text for one in page], [one.text for one in rest]],
        "found": [one.content for one in found.results],
        "left": [one.text for one in client.agents.passages.list(agent.id)],
    }


def messages():
    agent = an_agent()
    response = client.agents.messages.create(agent.id, messages=say("Good morning"))
    run = client.agents.messages.create_async(agent.id, input="Good evening")
    ended = wait_until_ended(lambda: client.runs.retrieve(run.id))
    return {
        "types": [message.message_type for message in response.messages],
        "said": response.messages[-1].content,
        "stop": response.stop_reason.stop_reason,
        "steps": response.usage.step_count,
        "tokens": response.usage.prompt_tokens > 0 and response.usage.completion_tokens > 0,
        "async": ended.status,
        "history": [message.message_type for message in client.agents.messages.list(agent.id, order="asc", limit=2)],
    }


def stream():
    agent = an_agent()
    whole = list(client.agents.messages.stream(agent.id, messages=say("Good morning"), include_pings=False))
    tokens = list(
        client.agents.messages.create(
            agent.id, messages=say("Good evening"), streaming=True, stream_tokens=True, include_pings=False
        )
    )
    return stream_facts(whole, tokens)


def resume():
    agent = an_agent()
    first = client.agents.messages.create(
        agent.id, messages=say("Good evening"), streaming=True, stream_tokens=True, background=True
    )
    seen = [next(chunk for chunk in first if chunk.message_type != "ping")]
    first.close()
    run, number = seen[0].run_id, seen[0].seq_id
    joined = [*seen, *client.runs.messages.stream(run, starting_after=number, include_pings=False)]
    again = list(client.runs.messages.stream(run, starting_after=0, include_pings=False))
    numbers = [chunk.seq_id for chunk in joined]
    return {
        "joined": "".join(chunk.content for chunk in joined if chunk.message_type == "assistant_message"),
        "last": [chunk.message_type for chunk in joined[-2:]],
        "same": [chunk.seq_id for chunk in again] == numbers,
        "rising": numbers == sorted(set(numbers)),
    }


def cancel():
    agent = an_agent(model="openai/hanging")
    run = client.agents.messages.create_async(agent.id, messages=say("Good morning"))
    cancelled = client.agents.messages.cancel(agent.id, run_ids=[run.id])
    ended = wait_until_ended(lambda: client.runs.retrieve(run.id))
    return {
        "answer": cancelled[run.id],
        "run": [ended.status, ended.stop_reason],
        "again": problem_of(lambda: client.agents.messages.cancel(agent.id), APIStatusError)["status"],
    }


def retry():
    agent = an_agent(model="openai/slow")
    response = client.with_options(timeout=2, max_retries=5).agents.messages.create(agent.id, messages=say("Hello"))
    return {
        "said": response.messages[-1].content,
        "runs": [run.status for run in client.runs.list(agent_id=agent.id)],
        "history": [message.message_type for message in client.agents.messages.list(agent.id, order="asc")],
    }


def runs():
    agent = an_agent()
    run = client.agents.messages.create_async(agent.id, messages=say("Good morning"))
    ended = wait_until_ended(lambda: client.runs.retrieve(run.id))
    steps = list(client.runs.steps.list(run.id))
    step = client.steps.retrieve(steps[0].id)
    usage = client.runs.usage.retrieve(run.id)
    return {
        "status": ended.status,
        "listed": [one.id == run.id for one in client.runs.list(agent_id=agent.id, statuses=["completed"])],
        "active": len(list(client.runs.list(agent_id=agent.id, active=True))),
        "said": list(client.runs.messages.list(run.id))[-1].content,
        "steps": [one.status for one in steps],
        "step": [step.run_id == run.id, step.model, step.total_tokens == usage.total_tokens],
        "ofAgent": len(list(client.steps.list(agent_id=agent.id))),
        "ofStep": len(list(client.steps.messages.list(step.id))),
    }


def tools():
    agent = an_agent()
    found = list(client.tools.list(name="conversation_search_date"))
    client.agents.tools.attach(found[0].id, agent_id=agent.id)
    attached = [tool.name for tool in client.agents.tools.list(agent.id, limit=2)]
    client.agents.tools.detach(found[0].id, agent_id=agent.id)
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
        "embeddings": "openai/text-embedding-3-small" in [model.handle for model in client.models.embeddings.list()],
        "health": client.health().status,
    }


def errors():
    unknown = f"agent-{uuid.uuid4()}"
    agent = an_agent()
    block = client.blocks.create(label="small", value="one", limit=5)
    return {
        "unknown": problem_of(lambda: client.agents.retrieve(unknown), APIStatusError),
        "malformed": problem_of(lambda: client.agents.retrieve("agent-1"), APIStatusError),
        "unsent": problem_of(lambda: client.agents.messages.create(unknown, messages=say("Hello")), APIStatusError),
        "label": problem_of(lambda: client.agents.blocks.retrieve("nothing", agent_id=agent.id), APIStatusError),
        "limit": problem_of(lambda: client.blocks.update(block.id, value="too long"), APIStatusError),
        "model": problem_of(lambda: an_agent(model="nobody/model"), APIStatusError),
    }


run_areas([agents, blocks, passages, messages, stream, resume, cancel, retry, runs, tools, models, errors])
