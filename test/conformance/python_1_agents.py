"""letta-client 1.12.1: conversations, approvals, what is done between turns, and agents as files. Run with a base URL; see areas.py."""

import json
import sys

from areas import BLOCKS, MODEL, problem_of, run_areas, say
from letta_client import APIStatusError, Letta

client = Letta(base_url=sys.argv[1], api_key="none")


def an_agent(**fields):
    return client.agents.create(**{**MODEL, "memory_blocks": BLOCKS, **fields})


def spoken(messages):
    return [message.content for message in messages if message.message_type == "assistant_message"]


def conversations():
    agent = an_agent()
    made = [client.conversations.create(agent_id=agent.id, summary=name) for name in ("one", "two", "three")]
    listed = client.conversations.list(agent_id=agent.id, limit=2)
    rest = client.conversations.list(agent_id=agent.id, limit=2, after=listed[-1].id)
    client.conversations.update(made[0].id, summary="first", archived=True)
    first = client.conversations.retrieve(made[0].id)
    chunks = list(client.conversations.messages.create(made[1].id, messages=say("Good morning")))
    said = list(client.conversations.messages.list(made[1].id))
    fork = client.conversations.fork(made[1].id)
    forked = list(client.conversations.messages.list(fork.id))
    run = chunks[0].run_id
    resumed = list(client.conversations.messages.stream(made[1].id, run_id=run))
    compacted = client.conversations.messages.compact(made[1].id)
    cancelled = problem_of(lambda: client.conversations.cancel(made[1].id), APIStatusError)["status"]
    client.conversations.delete(made[2].id)
    return {
        "pages": [[one.summary for one in listed], [one.summary for one in rest]],
        "updated": [first.summary, first.archived],
        "said": spoken(chunks),
        "listed": [len(said), len(forked)],
        "resumed": spoken(resumed),
        "compacted": compacted.num_messages_before >= compacted.num_messages_after,
        "cancelled": cancelled,
        "deleted": problem_of(lambda: client.conversations.retrieve(made[2].id), APIStatusError)["status"],
    }


def approvals():
    agent = an_agent()
    client.agents.tools.update_approval("memory_insert", agent_id=agent.id, body_requires_approval=True)

    def ask():
        waiting = client.agents.messages.create(agent.id, messages=say("Remember that I sail"))
        request = next(one for one in waiting.messages if one.message_type == "approval_request_message")
        return waiting.stop_reason.stop_reason, request.tool_calls[0].tool_call_id

    def decide(**decision):
        message = {"type": "approval", "approvals": [decision]}
        return client.agents.messages.create(agent.id, messages=[message])

    stop, call = ask()
    pending = client.agents.retrieve(agent.id).pending_approval
    approved = decide(type="approval", tool_call_id=call, approve=True)
    human = client.agents.blocks.retrieve("human", agent_id=agent.id).value
    _, call = ask()
    denied = decide(type="approval", tool_call_id=call, approve=False, reason="no")
    _, call = ask()
    returned = decide(type="tool", tool_call_id=call, status="success", tool_return="Done elsewhere.")
    unknown = problem_of(lambda: decide(type="approval", tool_call_id="call_x", approve=True), APIStatusError)
    ask()
    cancelled = client.agents.messages.cancel(agent.id)
    return {
        "waits": stop,
        "pending": pending is not None,
        "approved": [one.message_type for one in approved.messages],
        "edited": "Sails." in human,
        "denied": [one.status for one in denied.messages if one.message_type == "tool_return_message"],
        "returned": [one.tool_return for one in returned.messages if one.message_type == "tool_return_message"],
        "unknown": unknown["status"],
        "cancelled": list(cancelled.values()),
        "left": client.agents.retrieve(agent.id).pending_approval,
    }


def between():
    agent = an_agent()
    client.agents.messages.create(agent.id, messages=say("Good morning"))
    compacted = client.agents.messages.compact(agent.id)
    client.agents.messages.reset(agent.id)
    return {
        "compacted": compacted.num_messages_before >= compacted.num_messages_after,
        "left": len(list(client.agents.messages.list(agent.id))),
    }


def transfer():
    agent = an_agent(name="Ada", secrets={"KEY": "f00d"})
    client.agents.messages.create(agent.id, messages=say("Good morning"))
    file = client.agents.export_file(agent.id)
    made = client.agents.import_file(file=file.encode(), name="Eve", secrets=json.dumps({"KEY": "new"}))
    bare = client.agents.import_file(file=file.encode(), append_copy_suffix=False, strip_messages=True)
    copy = client.agents.retrieve(made.agent_ids[0])
    said = [message.message_type for message in client.agents.messages.list(copy.id)]
    scrubbed = client.agents.export_file(agent.id, scrub_messages=True)
    refused = problem_of(lambda: client.agents.import_file(file=b"{}"), APIStatusError)
    return {
        "names": [copy.name, client.agents.retrieve(bare.agent_ids[0]).name],
        "blocks": sorted(block.value for block in client.agents.blocks.list(copy.id)),
        "said": "user_message" in said,
        "left": len(list(client.agents.messages.list(bare.agent_ids[0]))),
        "secrets": ["f00d" in file, [one.value for one in copy.secrets]],
        "scrubbed": ["Good morning" in file, "Good morning" in scrubbed],
        "refused": refused["status"],
    }


def recompiling():
    agent = an_agent()
    thread = client.conversations.create(agent_id=agent.id)
    prompt = client.agents.recompile(agent.id, dry_run=True)
    return {
        # The answer is JSON, which this client gives out as it came.
        "prompt": json.loads(prompt).startswith(agent.system[:20]) and "I am Sam." in prompt,
        "done": "I am Sam." in client.agents.recompile(agent.id),
        "thread": thread.id in client.conversations.recompile(thread.id),
    }


def identities():
    agent = an_agent()
    body = {"identifier_key": "py-1 ann", "name": "Ann", "identity_type": "user"}
    identity = client.post("/v1/identities/", body=body, cast_to=object)["id"]
    client.agents.identities.attach(identity, agent_id=agent.id)
    held = [one.id == identity for one in client.agents.retrieve(agent.id).identities]
    client.agents.identities.detach(identity, agent_id=agent.id)
    return {"held": held, "left": client.agents.retrieve(agent.id).identities}


run_areas([conversations, approvals, between, transfer, recompiling, identities])
