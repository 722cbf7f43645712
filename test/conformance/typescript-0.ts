import { randomUUID } from 'node:crypto';
import { type Letta, LettaClient } from 'letta-client-0';
import {
  blocks,
  collect,
  models,
  problemOf,
  readMessage,
  runAreas,
  streamFacts,
  waitUntilEnded,
} from './areas.js';

/** `@letta-ai/letta-client` 0.1.132 against a server: run with its base URL; see areas.ts for what it prints. */
const client = new LettaClient({ baseUrl: process.argv[2] ?? '', token: 'none' });

function anAgent(fields: Letta.CreateAgentRequest = {}): Promise<Letta.AgentState> {
  return client.agents.create({ ...models, memoryBlocks: blocks, ...fields });
}

function say(content: string): Letta.MessageCreate[] {
  return [{ role: 'user', content }];
}

function statusOf(call: Promise<unknown>): Promise<number> {
  return problemOf(call).then(({ status }) => status);
}

async function runAgents() {
  const tag = randomUUID();
  const made = [];
  for (const name of ['agent 0', 'agent 1', 'agent 2']) {
    made.push(await anAgent({ name, tags: [tag], description: 'new' }));
  }
  const id = made[0]?.id ?? '';
  const first = await client.agents.retrieve(id);
  const page = await client.agents.list({ tags: [tag], limit: 2 });
  const rest = await client.agents.list({ tags: [tag], limit: 2, after: page.at(-1)?.id ?? '' });
  await client.agents.modify(id, { name: 'renamed', description: 'changed', tags: [tag, 'more'] });
  const changed = await client.agents.retrieve(id);
  const found = await client.agents.list({ name: 'renamed', tags: [tag] });
  await client.agents.delete(id);
  return {
    created: [made[0]?.name, made[0]?.agentType, made[0]?.description],
    labels: first.memory.blocks.map((block) => block.label),
    model: first.llmConfig.handle,
    embedding: first.embeddingConfig.handle,
    pages: [page.map((agent) => agent.name), rest.map((agent) => agent.name)],
    changed: [changed.name, changed.description, changed.tags.length],
    found: found.map((agent) => agent.id === id),
    deleted: await statusOf(client.agents.retrieve(id)),
    left: (await client.agents.list({ tags: [tag] })).length,
  };
}

async function runBlocks() {
  const agent = await anAgent();
  const label = `notes-${randomUUID()}`;
  const block = await client.blocks.create({ label, value: 'one', limit: 100, description: 'Notes.' });
  const id = block.id ?? '';
  const labels = async () => (await client.agents.blocks.list(agent.id)).map((one) => one.label);
  await client.agents.blocks.attach(agent.id, id);
  const attached = await labels();
  await client.agents.blocks.modify(agent.id, label, { value: 'two' });
  const byId = await client.blocks.retrieve(id);
  await client.blocks.modify(id, { value: 'three' });
  const byLabel = await client.agents.blocks.retrieve(agent.id, label);
  await client.agents.blocks.detach(agent.id, id);
  const detached = await labels();
  const listed = await client.blocks.list({ label });
  await client.blocks.delete(id);
  return {
    created: [block.value, block.limit, block.description, block.readOnly],
    attached: attached.map((one) => (one === label ? true : one)),
    values: [byId.value, byLabel.value],
    detached,
    listed: listed.map((one) => one.value),
    deleted: await statusOf(client.blocks.retrieve(id)),
  };
}

async function runPassages() {
  const agent = await anAgent();
  const made = [];
  for (const text of ['Mina sails.', 'Sid sings.', 'Ada sows.']) {
    made.push(...(await client.agents.passages.create(agent.id, { text })));
  }
  const page = await client.agents.passages.list(agent.id, { limit: 2 });
  const rest = await client.agents.passages.list(agent.id, { limit: 2, after: page.at(-1)?.id ?? '' });
  const found = await client.agents.passages.list(agent.id, { search: 'sings' });
  await client.agents.passages.delete(agent.id, made[0]?.id ?? '');
  return {
    pages: [page.map((one) => one.text), rest.map((one) => one.text)],
    found: found.map((one) => one.text),
    left: (await client.agents.passages.list(agent.id)).map((one) => one.text),
  };
}

async function runMessages() {
  const agent = await anAgent();
  const response = await client.agents.messages.create(agent.id, { messages: say('Good morning') });
  const run = await client.agents.messages.createAsync(agent.id, { messages: say('Good evening') });
  const ended = await waitUntilEnded(() => client.runs.retrieve(run.id ?? ''));
  const page = (await client.agents.messages.list(agent.id, { limit: 2 })).map(readMessage);
  const rest = await client.agents.messages.list(agent.id, { limit: 100, before: page[0]?.id ?? '' });
  const messages = response.messages.map(readMessage);
  return {
    types: messages.map((message) => message.type),
    said: messages.at(-1)?.content,
    stop: response.stopReason.stopReason,
    steps: response.usage.stepCount,
    tokens: (response.usage.promptTokens ?? 0) > 0 && (response.usage.completionTokens ?? 0) > 0,
    async: ended.status,
    history: [...rest.map(readMessage), ...page].map((message) => message.type),
  };
}

async function runStream() {
  const agent = await anAgent();
  const whole = await client.agents.messages.createStream(agent.id, { messages: say('Good morning') });
  const seen = await collect(whole);
  const tokens = await client.agents.messages.createStream(agent.id, {
    messages: say('Good evening'),
    streamTokens: true,
  });
  return streamFacts(seen, await collect(tokens));
}

async function runRuns() {
  const agent = await anAgent();
  const run = await client.agents.messages.createAsync(agent.id, { messages: say('Good morning') });
  const id = run.id ?? '';
  const ended = await waitUntilEnded(() => client.runs.retrieve(id));
  const steps = await client.runs.steps.list(id);
  const step = await client.steps.retrieve(steps[0]?.id ?? '');
  const usage = await client.runs.usage.retrieve(id);
  const said = (await client.runs.messages.list(id)).map(readMessage);
  return {
    status: ended.status,
    listed: (await client.runs.list({ agentIds: [agent.id] })).map((one) => one.id === id),
    active: (await client.runs.listActive({ agentIds: [agent.id] })).length,
    said: said.at(-1)?.content,
    step: [step.jobId === id, step.model, step.totalTokens === usage.totalTokens],
    ofAgent: (await client.steps.list({ agentId: agent.id })).length,
  };
}

async function runTools() {
  const agent = await anAgent();
  const found = await client.tools.list({ name: 'conversation_search_date' });
  const id = found[0]?.id ?? '';
  const names = async () => (await client.agents.tools.list(agent.id)).map((tool) => tool.name);
  await client.agents.tools.attach(agent.id, id);
  const attached = await names();
  await client.agents.tools.detach(agent.id, id);
  const detached = await names();
  return {
    found: found.map((tool) => tool.name),
    retrieved: (await client.tools.retrieve(id)).jsonSchema?.['name'],
    attached: attached.includes('conversation_search_date'),
    detached: detached.includes('conversation_search_date'),
    base: detached.sort(),
  };
}

async function runModels() {
  const handles = (await client.models.list()).map((model) => model.handle);
  const embeddings = (await client.embeddingModels.list()).map((model) => model.handle);
  return {
    models: handles.includes('openai/scripted'),
    embeddings: embeddings.includes('openai/text-embedding-3-small'),
    health: (await client.health.check()).status,
  };
}

async function runErrors() {
  const unknown = `agent-${randomUUID()}`;
  const agent = await anAgent();
  const block = await client.blocks.create({ label: 'small', value: 'one', limit: 5 });
  return {
    unknown: await problemOf(client.agents.retrieve(unknown)),
    malformed: await problemOf(client.agents.retrieve('agent-1')),
    unsent: await problemOf(client.agents.messages.create(unknown, { messages: say('Hello') })),
    label: await problemOf(client.agents.blocks.retrieve(agent.id, 'nothing')),
    limit: await problemOf(client.blocks.modify(block.id ?? '', { value: 'too long' })),
    model: await problemOf(anAgent({ model: 'nobody/model' })),
  };
}

await runAreas({
  agents: runAgents,
  blocks: runBlocks,
  passages: runPassages,
  messages: runMessages,
  stream: runStream,
  runs: runRuns,
  tools: runTools,
  models: runModels,
  errors: runErrors,
});
