# %%
from letta_client import Letta
client = Letta(base_url="http://localhost:8283")
# %%
def get_agent_id(agent_state: "AgentState"):
    """
    Query your agent ID field
    """
    return agent_state.id
get_id_tool = client.tools.upsert_from_function(func=get_agent_id)
# %%
agent_state = client.agents.create(
    memory_blocks=[],
    model="openai/gpt-4o-mini",
    embedding="openai/text-embedding-3-small",
    tool_ids=[get_id_tool.id]
)
# %%
response_stream = client.agents.messages.create_stream(
    agent_id=agent_state.id,
    messages=[
        {
            "role": "user",
            "content": "What is your agent id?"
        }
    ]
)
for chunk in response_stream:
    print_message(chunk)
# %%
def task_queue_push(agent_state: "AgentState", task_description: str):
    """
    Push to a task queue stored in core memory.
    Args:
    task_description (str): A description of the next task you must accomplish.
    Returns:
    Optional[str]: None is always returned as this function
    does not produce a response.
    """
    from letta_client import Letta
    import json
    client = Letta(base_url="http://localhost:8283")
    block = client.agents.blocks.retrieve(
        agent_id=agent_state.id,
        block_label="tasks",
    )
    tasks = json.loads(block.value)
    tasks.append(task_description)
    # update the block value
    client.agents.blocks.modify(
        agent_id=agent_state.id,
        value=json.dumps(tasks),
        block_label="tasks"
    )
    return None
def task_queue_pop(agent_state: "AgentState"):
    """
    Get the next task from the task queue
    Returns:
    Optional[str]: Remaining tasks in the queue
    """
    from letta_client import Letta
    import json
    client = Letta(base_url="http://localhost:8283")
    # get the block
    block = client.agents.blocks.retrieve(
        agent_id=agent_state.id,
        block_label="tasks",
    )
    tasks = json.loads(block.value)
    if len(tasks) == 0:
        return None
    task = tasks[0]
    # update the block value
    remaining_tasks = json.dumps(tasks[1:])
    client.agents.blocks.modify(
        agent_id=agent_state.id,
        value=remaining_tasks,
        block_label="tasks"
    )
    return f"Remaining tasks {remaining_tasks}"
# %%
task_queue_pop_tool = client.tools.upsert_from_function(
    func=task_queue_pop
)
task_queue_push_tool = client.tools.upsert_from_function(
    func=task_queue_push
)
# %%
import json
task_agent = client.agents.create(
    system=open("task_queue_system_prompt.txt", "r").read(),
    memory_blocks=[
        {
            "label": "tasks",
            "value": json.dumps([])
        }
    ],
    model="openai/gpt-4o-mini-2024-07-18",
    embedding="openai/text-embedding-3-small",
    tool_ids=[task_queue_pop_tool.id, task_queue_push_tool.id],
    include_base_tools=False,
    tools=["send_message"]
)
# %%
response_stream = client.agents.messages.create_stream(
    agent_id=task_agent.id,
    messages=[
        {
            "role": "user",
            "content": "Add 'start calling me Mickey' and "
            + "'tell me a haiku about my name' as two seperate tasks."
        }
    ]
)
for chunk in response_stream:
    print_message(chunk)
# %% fixture: the task list, which the document shows as a picture
client.agents.blocks.retrieve(agent_id=task_agent.id, block_label="tasks").value
# %% fixture: the agents of this notebook
print(agent_state.id, task_agent.id)
