"""letta-client 0.1.172: what is done to messages between turns, and agents as files. Run with a base URL; see areas.py."""

import io
import json
import sys

from areas import BLOCKS, MODEL, problem_of, run_areas, say
from letta_client import Letta, UpdateUserMessage
from letta_client.core.api_error import ApiError

client = Letta(base_url=sys.argv[1], token="none")


def between():
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS)
    client.agents.messages.create(agent.id, messages=say("Good morning"))
    listed = client.agents.messages.list(agent.id)
    asked = next(message for message in listed if message.message_type == "user_message")
    edited = client.agents.messages.modify(
        agent.id, asked.id, request=UpdateUserMessage(message_type="user_message", content="Good night")
    )
    read = next(message for message in client.agents.messages.list(agent.id) if message.id == asked.id)
    client.agents.messages.reset(agent.id)
    return {"edited": [edited.content, read.content], "left": len(client.agents.messages.list(agent.id))}


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


run_areas([between, transfer, insight])
