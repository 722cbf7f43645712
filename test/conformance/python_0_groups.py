"""letta-client 0.1.172 on groups: run with a base URL; see areas.py for what it prints."""

import sys

from areas import BLOCKS, MODEL, problem_of, run_areas, say
from letta_client import (
    DynamicManager,
    Letta,
    RoundRobinManager,
    SleeptimeManager,
    SleeptimeManagerUpdate,
    SupervisorManager,
    UpdateAssistantMessage,
)
from letta_client.core.api_error import ApiError

client = Letta(base_url=sys.argv[1], token="none")


def status_of(call):
    return problem_of(call, ApiError)["status"]


def sleeptime():
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS, enable_sleeptime=True)
    group = client.groups.retrieve(agent.multi_agent_group.id)
    partner = client.agents.retrieve(group.agent_ids[0])
    changed = client.groups.modify(
        group.id,
        manager_config=SleeptimeManagerUpdate(
            manager_type="sleeptime", manager_agent_id=agent.id, sleeptime_agent_frequency=2
        ),
    )
    return {
        "group": [group.manager_type, group.manager_agent_id == agent.id, group.sleeptime_agent_frequency],
        "partner": [partner.agent_type, partner.name == f"{agent.name}-sleeptime"],
        "changed": changed.sleeptime_agent_frequency,
        "read": client.agents.retrieve(agent.id).multi_agent_group.sleeptime_agent_frequency,
    }


def groups():
    main, first, second = [client.agents.create(**MODEL, memory_blocks=BLOCKS).id for _ in range(3)]
    config = SleeptimeManager(manager_type="sleeptime", manager_agent_id=main, sleeptime_agent_frequency=3)
    nobody = "agent-00000000-0000-4000-8000-000000000000"
    unknown = SleeptimeManager(manager_type="sleeptime", manager_agent_id=nobody)
    made = client.groups.create(agent_ids=[first], description="Beside Sam", manager_config=config)
    group = client.groups.modify(made.id, agent_ids=[first, second], description="Two beside Sam")
    read = client.groups.retrieve(made.id)
    facts = {
        "made": [made.description, made.agent_ids == [first], made.sleeptime_agent_frequency],
        "changed": [group.description, read.agent_ids == [first, second], read.sleeptime_agent_frequency],
        "is_counted": client.groups.count() >= 1,
        "listed": [one.description for one in client.groups.list(manager_type="sleeptime") if one.id == made.id],
        "of": [one.id == made.id for one in client.agents.groups.list(second)],
        "unknown": status_of(
            lambda: client.groups.create(agent_ids=[first], description="", manager_config=unknown)
        ),
        "twice": status_of(
            lambda: client.groups.create(agent_ids=[second], description="", manager_config=config)
        ),
    }
    client.groups.delete(made.id)
    return {**facts, "deleted": status_of(lambda: client.groups.retrieve(made.id))}


def spoken(messages, names):
    """Who said what, where an agent speaks; a stream ends with chunks that are no messages."""
    said = [one for one in messages if one.message_type == "assistant_message"]
    return [[one.name, names[one.sender_id], one.content] for one in said]


def talks():
    ids = {name: client.agents.create(**MODEL, name=name, memory_blocks=BLOCKS).id for name in ("Ann", "Bob", "Boss")}
    names = {agent_id: name for name, agent_id in ids.items()}
    two = [ids["Ann"], ids["Bob"]]
    made = {
        "round_robin": RoundRobinManager(manager_type="round_robin", max_turns=3),
        "supervisor": SupervisorManager(manager_type="supervisor", manager_agent_id=ids["Boss"]),
        "dynamic": DynamicManager(
            manager_type="dynamic", manager_agent_id=ids["Boss"], max_turns=2, termination_token="ENOUGH"
        ),
    }
    group = {
        name: client.groups.create(agent_ids=two, description="Plans a picnic", manager_config=config).id
        for name, config in made.items()
    }
    answers = {
        name: client.groups.messages.create(group_id, messages=say("Good morning")) for name, group_id in group.items()
    }
    chunks = list(client.groups.messages.create_stream(group["round_robin"], messages=say("Good evening")))
    first = client.groups.messages.list(group["round_robin"], limit=2)
    before = client.groups.messages.list(group["round_robin"], limit=2, before=first[-1].id)
    last = next(one for one in answers["round_robin"].messages[::-1] if one.message_type == "assistant_message")
    changed = client.groups.messages.modify(
        group["round_robin"], last.id, request=UpdateAssistantMessage(message_type="assistant_message", content="Changed.")
    )
    listed = client.groups.messages.list(group["round_robin"], limit=50)
    facts = {
        "said": {name: spoken(answer.messages, names) for name, answer in answers.items()},
        "cost": [answers["round_robin"].usage.step_count, answers["supervisor"].usage.step_count],
        "streamed": spoken(chunks, names),
        "end": [chunk.message_type for chunk in chunks[-2:]],
        "pages": [len({one.id for one in first}) >= 1, {one.id for one in first} & {one.id for one in before} == set()],
        "changed": [changed.content, "Changed." in [one.content for one in listed if hasattr(one, "content")]],
        "unknown": status_of(
            lambda: client.groups.messages.list("group-00000000-0000-4000-8000-000000000000")
        ),
    }
    client.groups.messages.reset(group["round_robin"])
    return {**facts, "reset": len(client.groups.messages.list(group["round_robin"]))}


run_areas([sleeptime, groups, talks])
