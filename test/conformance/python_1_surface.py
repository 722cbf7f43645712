"""letta-client 1.12.1 on archives, searches and judgements: run with a base URL; see areas.py for what it prints."""

import sys
import uuid

from areas import BLOCKS, MODEL, problem_of, run_areas, say
from letta_client import APIStatusError, Letta

client = Letta(base_url=sys.argv[1], api_key="none")


def an_agent(**fields):
    return client.agents.create(**{**MODEL, "memory_blocks": BLOCKS, **fields})


def archives():
    agent = an_agent()
    name = f"shelf {uuid.uuid4()}"
    made = [client.archives.create(name=name, embedding=MODEL["embedding"]) for _ in range(3)]
    first = made[0].id
    pages = client.archives.list(name=name, limit=2, order="asc").iter_pages()
    client.archives.update(first, description="Sea songs.")
    passage = client.archives.passages.create(first, text="Mina sails.", tags=["sea"], metadata={"page": 1})
    many = client.archives.passages.create_many(first, passages=[{"text": "Sid sings."}, {"text": "Ada sows."}])
    client.archives.passages.delete(many[1].id, archive_id=first)
    found = client.passages.search(archive_id=first, query="who sails?", limit=1)
    tagged = client.passages.search(archive_id=first, tags=["sea"])
    client.agents.archives.attach(first, agent_id=agent.id)
    having = [one.id == first for one in client.archives.list(agent_id=agent.id)]
    own = client.agents.passages.search(agent.id, query="sings", top_k=1)
    client.agents.archives.detach(first, agent_id=agent.id)
    facts = {
        "created": [made[0].name == name, made[0].embedding_config.handle],
        "pages": [len(page.items) for page in pages if page.items],
        "described": client.archives.retrieve(first).description,
        "passage": [passage.text, passage.tags, passage.metadata, passage.archive_id == first],
        "many": [one.text for one in many],
        "found": [[one.passage.text, one.score > 0] for one in found],
        "tagged": [one.passage.text for one in tagged],
        "having": having,
        "own": [one.content for one in own.results],
        "without": client.agents.passages.search(agent.id, query="sings").count,
    }
    client.archives.delete(first)
    facts["deleted"] = problem_of(lambda: client.archives.retrieve(first), APIStatusError)["status"]
    return facts


def all_messages():
    agent = an_agent()
    word = f"w{uuid.uuid4().hex}"
    client.agents.messages.create(agent.id, messages=say(f"Good morning {word}"))
    found = client.messages.search(query=word, search_mode="fts")
    own = client.messages.search(query=word, agent_id=agent.id, limit=1)
    retrieved = client.messages.retrieve(found[0].message_id)
    page = client.messages.list(limit=1)
    rest = client.messages.list(limit=1, after=page[-1].id)
    return {
        "found": [[one.message_type, word in one.content, one.agent_id == agent.id] for one in found],
        "own": [one.message_type for one in own],
        "retrieved": [[one.message_type, word in one.content] for one in retrieved],
        "pages": page[-1].id != rest[-1].id,
        "missing": problem_of(lambda: client.messages.retrieve(f"message-{uuid.uuid4()}"), APIStatusError)["status"],
    }


def judgements():
    tag = f"t{uuid.uuid4().hex}"
    agent = an_agent(tags=[tag])
    client.agents.messages.create(agent.id, messages=say("Good morning"))
    step = list(client.steps.list(agent_id=agent.id))[0]
    metrics = client.steps.metrics.retrieve(step.id)
    judged = client.steps.feedback.create(step.id, feedback="positive", tags=["kind"])
    return {
        "metrics": [metrics.id == step.id, metrics.llm_request_ns > 0, metrics.step_ns >= metrics.llm_request_ns],
        "judged": [judged.feedback, judged.tags],
        "kept": [one.feedback for one in client.steps.list(agent_id=agent.id, feedback="positive")],
        "others": len(list(client.steps.list(agent_id=agent.id, has_feedback=False))),
        "tags": client.tags.list(query_text=tag) == [tag],
        "missing": problem_of(lambda: client.steps.metrics.retrieve(f"step-{uuid.uuid4()}"), APIStatusError)["status"],
    }


run_areas([archives, all_messages, judgements])
