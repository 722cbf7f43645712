"""letta-client 1.12.1 on folders and files: run with a base URL; see areas.py for what it prints."""

import sys
import time
import uuid

from areas import BLOCKS, MODEL, problem_of, run_areas
from letta_client import APIStatusError, Letta

client = Letta(base_url=sys.argv[1], api_key="none")


def upload(folder_id):
    file = client.folders.files.upload(folder_id, file=("rules.md", b"Night work is paid double."))
    for _ in range(400):
        if file.processing_status in ("completed", "error"):
            return file
        time.sleep(0.1)
        file = client.folders.files.retrieve(file.id, folder_id=folder_id)
    raise TimeoutError(f"file {file.id} is still {file.processing_status}")


def folders():
    name = f"handbook {uuid.uuid4()}"
    folder = client.folders.create(name=name, embedding=MODEL["embedding"])
    others = [client.folders.create(name=f"{name} {count}", embedding=MODEL["embedding"]) for count in range(2)]
    updated = client.folders.update(folder.id, description="All rules.")
    config = client.folders.retrieve(folder.id).embedding_config
    page = client.folders.list(limit=2, after=folder.id, order="asc")
    rest = page.get_next_page() if page.has_next_page() else None
    file = upload(folder.id)
    upload(folder.id)
    content = client.folders.files.retrieve(file.id, folder_id=folder.id, include_content=True).content
    names = [one.file_name for one in client.folders.files.list(folder.id, limit=1, order="asc")]
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS)
    client.agents.folders.attach(folder.id, agent_id=agent.id)
    having = [one.id for one in client.agents.folders.list(agent.id)]
    holders = client.folders.agents.list(folder.id)
    within = [one.file_name for one in client.agents.files.list(agent.id, limit=1)]
    opened = client.agents.files.open(file.id, agent_id=agent.id)
    shown = [one for one in client.agents.files.list(agent.id) if one.is_open]
    blocks = client.agents.retrieve(agent.id).memory.file_blocks
    client.agents.files.close(file.id, agent_id=agent.id)
    still = [one for one in client.agents.files.list(agent.id) if one.is_open]
    client.agents.files.open(file.id, agent_id=agent.id)
    closed = client.agents.files.close_all(agent.id)
    tools = [tool.name for tool in client.agents.tools.list(agent.id)]
    client.agents.folders.detach(folder.id, agent_id=agent.id)
    facts = {
        "created": [folder.name == name, config.handle, config.embedding_chunk_size],
        "updated": updated.description,
        "pages": [len(page.items), rest is None or folder.id not in [one.id for one in rest.items]],
        "file": [file.file_name, file.processing_status, file.total_chunks],
        "content": content,
        "names": names,
        "attached": [having == [folder.id], list(holders) == [agent.id], within == names],
        "opened": [opened, [one.file_name for one in shown], shown[0].visible_content],
        "blocks": [
            [one.label.replace(name, "handbook"), one.value, one.is_open, one.file_id == file.id] for one in blocks
        ],
        "closed": [len(still), closed],
        "found": "semantic_search_files" in tools,
        "detached": len(client.agents.folders.list(agent.id).items),
    }
    client.folders.files.delete(file.id, folder_id=folder.id)
    left = len(client.folders.files.list(folder.id).items)
    for one in [folder, *others]:
        client.folders.delete(one.id)
    missing = problem_of(lambda: client.folders.retrieve(folder.id), APIStatusError)["status"]
    return {**facts, "deleted": [left, missing]}


run_areas([folders])
