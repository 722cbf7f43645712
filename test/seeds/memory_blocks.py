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
