"""letta-client 1.12.1 on conversations, schedules and custom tools: run with a base URL; see areas.py."""

import sys
import time
import uuid

from areas import BLOCKS, MODEL, problem_of, run_areas, say
from letta_client import APIStatusError, Letta

client = Letta(base_url=sys.argv[1], api_key="none")


def an_agent(**fields):
    return client.agents.create(**{**MODEL, "memory_blocks": BLOCKS, **fields})


def status_of(call):
    return problem_of(call, APIStatusError)["status"]


def first_type(stream):
    for chunk in stream:
        stream.close()
        return chunk.message_type


def conversations():
    agent = an_agent()
    made = [client.conversations.create(agent_id=agent.id, summary=f"talk {index}") for index in range(3)]
    first = made[0].id
    page = client.conversations.list(agent_id=agent.id, limit=2, order="asc")
    rest = client.conversations.list(agent_id=agent.id, limit=2, order="asc", after=page[-1].id)
    client.conversations.update(first, summary="sea")
    chunks = list(client.conversations.messages.create(first, messages=say("Good morning")))
    pages = client.conversations.messages.list(first, limit=1, order="asc").iter_pages()
    fork = client.conversations.fork(first)
    copied = [one.message_type for one in client.conversations.messages.list(fork.id, order="asc")]
    facts = {
        "made": [made[0].agent_id == agent.id, made[0].summary],
        "pages": [len(page), len(rest)],
        "changed": client.conversations.retrieve(first).summary,
        "said": [one.content for one in chunks if one.message_type == "assistant_message"],
        "history": [[one.message_type for one in page.items] for page in pages if page.items][:2],
        "apart": len(list(client.agents.messages.list(agent.id))),
        "copied": [fork.id != first, copied],
    }
    client.conversations.delete(first)
    facts["deleted"] = status_of(lambda: client.conversations.retrieve(first))
    return facts


def running_conversation():
    agent = an_agent(model="openai/hanging")
    conversation = client.conversations.create(agent_id=agent.id).id
    begun = client.conversations.messages.create(
        conversation, messages=say("Good morning"), streaming=True, background=True
    )
    facts = {
        "begun": first_type(begun),
        "resumed": first_type(client.conversations.messages.stream(conversation)),
        "cancelled": list(client.conversations.cancel(conversation).values()),
        "again": status_of(lambda: client.conversations.cancel(conversation)),
    }
    return facts


def schedules():
    agent = an_agent()
    later = int((time.time() + 86_400) * 1_000)
    made = [
        client.agents.schedule.create(
            agent.id, messages=say("Good morning"), schedule={"type": "one-time", "scheduled_at": later + index}
        )
        for index in range(3)
    ]
    first = made[0].id
    read = client.agents.schedule.retrieve(first, agent_id=agent.id)
    page = client.agents.schedule.list(agent.id, limit="2")
    rest = client.agents.schedule.list(agent.id, limit="2", after=page.scheduled_messages[-1].id)
    client.agents.schedule.delete(first, agent_id=agent.id)
    wrong = {"type": "recurring", "cron_expression": "never"}
    return {
        "read": [read.agent_id == agent.id, read.message.messages[0].content, read.schedule.scheduled_at == later],
        "pages": [len(page.scheduled_messages), page.has_next_page, len(rest.scheduled_messages), rest.has_next_page],
        "deleted": status_of(lambda: client.agents.schedule.retrieve(first, agent_id=agent.id)),
        "wrong": status_of(
            lambda: client.agents.schedule.create(agent.id, messages=say("Hello"), schedule=wrong)
        ),
    }


def custom_tools():
    name = f"roll_{uuid.uuid4().hex[:8]}"
    code = f'def {name}(sides: int) -> int:\n    """Rolls a die.\n\n    Args:\n        sides (int): How many.\n    """\n'
    made = client.tools.create(source_code=f"{code}    return sides\n")
    again = client.tools.upsert(source_code=f"{code}    return sides - 1\n")
    client.tools.update(made.id, tags=["dice"])
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


run_areas([conversations, running_conversation, schedules, custom_tools])
