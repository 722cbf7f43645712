"""letta-client 0.1.172: what is done to messages between turns, and agents as files. Run with a base URL; see areas.py."""

import io
import json
import sys

from areas import BLOCKS, MODEL, problem_of, run_areas, say
from letta_client import IdentityProperty, Letta, UpdateAssistantMessage, UpdateUserMessage
from letta_client.core.api_error import ApiError

client = Letta(base_url=sys.argv[1], token="none")


def between():
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS)
    client.agents.messages.create(agent.id, messages=say("Good morning"))
    listed = client.agents.messages.list(agent.id)
    asked = next(message for message in listed if message.message_type == "user_message")
    edited = client.agents.messages.modify(
        agent.id, asked.id, request=UpdateUserMessage(content="Good night")
    )
    answered = next(message for message in listed if message.message_type == "assistant_message")
    client.agents.messages.modify(agent.id, answered.id, request=UpdateAssistantMessage(content="Sleep well"))
    said = [message for message in client.agents.messages.list(agent.id) if hasattr(message, "content")]
    read = {message.id: message.content for message in said}
    client.agents.messages.reset(agent.id)
    return {
        "edited": [edited.content, read[asked.id], read[answered.id]],
        "left": len(client.agents.messages.list(agent.id)),
    }


def transfer():
    agent = client.agents.create(**MODEL, name="Ada", memory_blocks=BLOCKS)
    client.agents.messages.create(agent.id, messages=say("Good morning"))
    file = json.dumps(client.agents.export_file(agent.id))
    copy = client.agents.import_file(file=io.BytesIO(file.encode()), append_copy_suffix=True)
    bare = client.agents.import_file(
        file=io.BytesIO(file.encode()), append_copy_suffix=False, strip_messages=True
    )
    said = [message.message_type for message in client.agents.messages.list(copy.id)]
    refused = problem_of(lambda: client.agents.import_file(file=io.BytesIO(b"{}")), ApiError)
    return {
        "names": [copy.name, bare.name],
        "blocks": sorted(block.value for block in copy.memory.blocks),
        "said": "user_message" in said,
        "left": len(client.agents.messages.list(bare.id)),
        "refused": refused["status"],
    }


def insight():
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS, context_window_limit=16000)
    client.agents.messages.create(agent.id, messages=say("Good morning"))
    overview = client.agents.context.retrieve(agent.id)
    return {
        "window": overview.context_window_size_max,
        "fits": 0 < overview.context_window_size_current < 16000,
        "core": "I am Sam." in overview.core_memory,
        "messages": [message.role for message in overview.messages],
        "tools": "send_message" in [tool.function.name for tool in overview.functions_definitions],
    }


def identities():
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS)
    ours = {"project_id": "py-0"}
    made = [
        client.identities.create(
            identifier_key=name, name=name, identity_type="user", agent_ids=[agent.id], **ours
        )
        for name in ("ann", "bob", "cid")
    ]
    ann, bob, cid = made
    taken = problem_of(
        lambda: client.identities.create(identifier_key="ann", name="x", identity_type="user", **ours), ApiError
    )
    upserted = client.identities.upsert(identifier_key="ann", name="Ann", identity_type="org", **ours)
    client.identities.modify(bob.id, name="Bob", agent_ids=[])
    client.identities.properties.upsert(bob.id, request=[IdentityProperty(key="plan", value="pro", type="string")])
    read = client.identities.retrieve(bob.id)
    pages = [client.identities.list(limit=2, **ours), client.identities.list(limit=2, after=bob.id, **ours)]
    counted = client.identities.count() >= 3
    client.identities.delete(cid.id)
    return {
        "taken": taken["status"],
        "upserted": [upserted.id == ann.id, upserted.name, upserted.identity_type],
        "read": [read.name, read.agent_ids, [one.value for one in read.properties]],
        "pages": [[one.name for one in page] for page in pages],
        "counted": counted,
        "of": [one.id == agent.id for one in client.agents.list(identity_id=ann.id)],
        "unknown": problem_of(lambda: client.identities.retrieve(cid.id), ApiError)["status"],
    }


run_areas([between, transfer, insight, identities])
