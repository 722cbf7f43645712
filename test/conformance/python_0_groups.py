"""letta-client 0.1.172 on groups: run with a base URL; see areas.py for what it prints."""

import sys

from areas import BLOCKS, MODEL, problem_of, run_areas
from letta_client import Letta, SleeptimeManager, SleeptimeManagerUpdate
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


run_areas([sleeptime, groups])
