# %%
from letta_client import Letta
client = Letta(base_url="http://localhost:8283")
# %%
agent_state = client.agents.create(
    memory_blocks=[
        {
            "label": "human",
            "value": "The human's name is Winnie the Pooh."
        },
        {
            "label": "persona",
            "value": "My name is Rabbit, the all-knowing sentient AI."
        }
    ],
    model="openai/gpt-4o-mini",
    embedding="openai/text-embedding-3-small"
)
# %%
blocks = client.agents.blocks.list(
    agent_id=agent_state.id,
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
# %% fixture: a task queue, and the calls that an agent would make
tasks = client.blocks.create(label="tasks", value="[]")
client.agents.blocks.attach(agent_id=agent_state.id, block_id=tasks.id)
task_queue_push(agent_state, "start calling me Mickey")
task_queue_push(agent_state, "tell me a haiku about my name")
task_queue_pop(agent_state)
