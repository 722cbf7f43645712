"""letta-client 0.1.172: what is done to messages between turns. Run with a base URL; see areas.py."""

import sys

from areas import BLOCKS, MODEL, run_areas, say
from letta_client import Letta, UpdateUserMessage

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


run_areas([between])
