# %%
from letta_client import Letta
client = Letta(base_url="http://localhost:8283")
# %%
agent_state = client.agents.create(
    name="simple_agent",
    memory_blocks=[
        {
            "label": "human",
            "value": "My name is Shilpa",
            "limit": 10000 # character limit
        },
        {
            "label": "persona",
            "value": "You are a helpful assistant and you always use emojis"
        }
    ],
    model="openai/gpt-4o-mini-2024-07-18",
    embedding="openai/text-embedding-3-small"
)
# %%
# send a message to the agent
response = client.agents.messages.create(
    agent_id=agent_state.id,
    messages=[
        {
            "role": "user",
            "content": "hows it going????"
        }
    ]
)
# if we want to print the messages
for message in response.messages:
    print_message(message)
# %%
# if we want to print the usage stats
print(response.usage.completion_tokens)
print(response.usage.prompt_tokens)
print(response.usage.step_count)
# %%
# send a message to the agent
response = client.agents.messages.create(
    agent_id=agent_state.id,
    messages=[
        {
            "role": "user",
            "content": "my name actually is Sid"
        }
    ]
)
# if we want to print the messages
for message in response.messages:
    print_message(message)
# %%
client.agents.blocks.retrieve(
    agent_id=agent_state.id,
    block_label="human"
).value
# %%
response = client.agents.messages.create(
    agent_id=agent_state.id,
    messages=[
        {
            "role": "user",
            "content": "Save the information that 'shilpa loves machine learning' to archival"
        }
    ]
)
# if we want to print the messages
for message in response.messages:
    print_message(message)
# %%
client.agents.passages.create(
    agent_id=agent_state.id,
    text="Shilpa's loves Hersheys",
)
# %%
# send a message to the agent
response = client.agents.messages.create(
    agent_id=agent_state.id,
    messages=[
        {
            "role": "user",
            "content": "What chocolates do I like? Search archival."
        }
    ]
)
for message in response.messages:
    print_message(message)
