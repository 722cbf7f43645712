# %%
from letta_client import Letta
client = Letta(base_url="http://localhost:8283")
# %% I would like to create an employee handbook embeddings as a datasource
source = client.sources.create(
    name="employee_handbook",
    embedding="openai/text-embedding-3-small"
)
source
# %% We will update the datasource with the data
job = client.sources.files.upload(
    source_id=source.id,
    file=open("handbook.pdf", "rb")
)
# %% Let us check the status of the job
import time
from letta_client import JobStatus
while job.status != 'completed':
    job = client.jobs.retrieve(job.id)
    print(job.status)
    time.sleep(1)
# %% Let us create the agent and attach the data source
agent_state = client.agents.create(
    memory_blocks=[
        {
            "label": "human",
            "value": "My name is Sarah"
        },
        {
            "label": "persona",
            "value": "You are a helpful assistant"
        }
    ],
    model="openai/gpt-4o-mini-2024-07-18",
    embedding="openai/text-embedding-3-small"
)
# %% Now attach the data source
agent_state = client.agents.sources.attach(
    agent_id=agent_state.id,
    source_id=source.id
)
# %% Now time to test the agent about the handbook we attached
response = client.agents.messages.create(
    agent_id=agent_state.id,
    messages=[
        {
            "role": "user",
            "content": "Search archival for our company's vacation policies"
        }
    ]
)
for message in response.messages:
    print_message(message)
