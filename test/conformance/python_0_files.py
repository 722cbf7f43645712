"""letta-client 0.1.172 on sources, files and jobs: run with a base URL; see areas.py for what it prints."""

import io
import sys
import time
import urllib.request
import uuid

from areas import BLOCKS, MODEL, problem_of, run_areas
from letta_client import Letta
from letta_client.core.api_error import ApiError

client = Letta(base_url=sys.argv[1], token="none")


def upload(source_id):
    file = io.BytesIO(b"Night work is paid double.")
    file.name = "rules.md"
    job = client.sources.files.upload(source_id=source_id, file=file)
    for _ in range(400):
        if job.status in ("completed", "failed", "cancelled"):
            return job
        time.sleep(0.1)
        job = client.jobs.retrieve(job.id)
    raise TimeoutError(f"job {job.id} is still {job.status}")


def sources():
    name = f"handbook {uuid.uuid4()}"
    source = client.sources.create(name=name, embedding=MODEL["embedding"])
    modified = client.sources.modify(source.id, description="All rules.")
    config = client.sources.retrieve(source.id).embedding_config
    job = upload(source.id)
    upload(source.id)
    first = client.sources.files.list(source.id, limit=1)
    second = client.sources.files.list(source.id, limit=1, after=first[-1].id)
    third = client.sources.files.list(source.id, limit=1, after=second[-1].id)
    oldest = second[0]
    passages = client.sources.passages.list(source.id)
    agent = client.agents.create(**MODEL, memory_blocks=BLOCKS)
    attached = client.agents.sources.attach(agent_id=agent.id, source_id=source.id)
    having = client.agents.sources.list(agent.id)
    tools = [tool.name for tool in client.agents.tools.list(agent.id)]
    # This client has no call for it: its agents open files themselves.
    opening = f"{sys.argv[1]}/v1/agents/{agent.id}/files/{oldest.id}/open"
    urllib.request.urlopen(urllib.request.Request(opening, method="PATCH")).close()
    blocks = client.agents.retrieve(agent_id=agent.id).memory.file_blocks
    client.agents.sources.detach(agent_id=agent.id, source_id=source.id)
    facts = {
        "created": [source.name == name, config.handle, config.embedding_chunk_size],
        "byName": client.sources.retrieve_by_name(name) == source.id,
        "modified": modified.description,
        "listed": [source.id in [one.id for one in client.sources.list()], client.sources.count() > 0],
        "job": [job.status, job.job_type],
        "jobs": [
            job.id in [one.id for one in client.jobs.list()],
            job.id not in [one.id for one in client.jobs.list_active()],
        ],
        "files": [oldest.file_name, oldest.processing_status, oldest.total_chunks],
        "pages": [len(first), len(second), len(third)],
        "passages": [{one.text for one in passages} == {"Night work is paid double."}],
        "attached": [[one.id for one in attached.sources] == [source.id], [one.id for one in having] == [source.id]],
        "blocks": [[one.label.replace(name, "handbook"), one.value, one.read_only] for one in blocks],
        "found": "semantic_search_files" in tools,
        "detached": len(client.agents.sources.list(agent.id)),
    }
    client.jobs.delete(job.id)
    for file in client.sources.files.list(source.id):
        client.sources.files.delete(source.id, file.id)
    left = len(client.sources.passages.list(source.id))
    client.sources.delete(source.id)
    missing = [lambda: client.sources.retrieve(source.id), lambda: client.jobs.retrieve(job.id)]
    return {**facts, "deleted": [left, *[problem_of(call, ApiError)["status"] for call in missing]]}


run_areas([sources])
