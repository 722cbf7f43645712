import { randomUUID } from 'node:crypto';
import Letta from 'letta-client-1';
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

/** `@letta-ai/letta-client` 1.12.1 against a server: run with its base URL; see areas.ts for what it prints. */
const client = new Letta({ baseURL: process.argv[2] ?? '', apiKey: 'none' });

function anAgent(fields: Letta.AgentCreateParams = {}): Promise<Letta.AgentState> {
  return client.agents.create({ ...models, memory_blocks: blocks, ...fields });
}

function say(content: string): { role: 'user'; content: string }[] {
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
  const pages = [];
  for await (const page of (await client.agents.list({ tags: [tag], limit: 2 })).iterPages()) {
    if (page.items.length > 0) pages.push(page.items.map((agent) => agent.name));
  }
  await client.agents.update(id, { name: 'renamed', description: 'changed', tags: [tag, 'more'] });
  const changed = await client.agents.retrieve(id);
  const found = await collect(client.agents.list({ name: 'renamed', tags: [tag] }));
  await client.agents.delete(id);
  return {
    created: [made[0]?.name, made[0]?.agent_type, made[0]?.description],
    labels: first.blocks.map((block) => block.label),
    model: first.model,
    embedding: first.embedding,
    pages,
    changed: [changed.name, changed.description, changed.tags.length],
    found: found.map((agent) => agent.id === id),
    deleted: await statusOf(client.agents.retrieve(id)),
    left: (await collect(client.agents.list({ tags: [tag] }))).length,
  };
}

async function runBlocks() {
  const agent = await anAgent();
  const label = `notes-${randomUUID()}`;
  const block = await client.blocks.create({ label, value: 'one', limit: 100, description: 'Notes.' });
  const labels = async () => (await collect(client.agents.blocks.list(agent.id))).map((one) => one.label);
  await client.agents.blocks.attach(block.id, { agent_id: agent.id });
  const attached = await labels();
  const having = await collect(client.blocks.agents.list(block.id));
  await client.agents.blocks.update(label, { agent_id: agent.id, value: 'two' });
  const byId = await client.blocks.retrieve(block.id);
  await client.blocks.update(block.id, { value: 'three' });
  const byLabel = await client.agents.blocks.retrieve(label, { agent_id: agent.id });
  await client.agents.blocks.detach(block.id, { agent_id: agent.id });
  const detached = await labels();
  const listed = await collect(client.blocks.list({ label }));
  await client.blocks.delete(block.id);
  return {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- programs of its time read it
    created: [block.value, block.limit, block.description, block.read_only],
    attached: attached.map((one) => (one === label ? true : one)),
    having: having.map((one) => one.id === agent.id),
    values: [byId.value, byLabel.value],
    detached,
    listed: listed.map((one) => one.value),
    deleted: await statusOf(client.blocks.retrieve(block.id)),
  };
}

async function runPassages() {
  const agent = await anAgent();
  const made = [];
  for (const text of ['Mina sails.', 'Sid sings.', 'Ada sows.']) {
    made.push(...(await client.agents.passages.create(agent.id, { text, tags: ['who'] })));
  }
  const page = await client.agents.passages.list(agent.id, { limit: 2 });
  const rest = await client.agents.passages.list(agent.id, { limit: 2, after: page.at(-1)?.id ?? '' });
  const wish = { query: 'who sings', tags: ['who'], top_k: 1 };
  const found = await client.agents.passages.search(agent.id, wish);
  await client.agents.passages.delete(made[0]?.id ?? '', { agent_id: agent.id });
  return {
    pages: [page.map((one) => one.text), rest.map((one) => one.text)],
    found: found.results.map((one) => one.content),
    left: (await client.agents.passages.list(agent.id)).map((one) => one.text),
  };
}

async function runMessages() {
  const agent = await anAgent();
  const response = await client.agents.messages.create(agent.id, { messages: say('Good morning') });
  const run = await client.agents.messages.createAsync(agent.id, { input: 'Good evening' });
  const ended = await waitUntilEnded(() => client.runs.retrieve(run.id));
  const history = await collect(client.agents.messages.list(agent.id, { order: 'asc', limit: 2 }));
  const messages = response.messages.map(readMessage);
  return {
    types: messages.map((message) => message.type),
    said: messages.at(-1)?.content,
    stop: response.stop_reason.stop_reason,
    steps: response.usage.step_count,
    tokens: (response.usage.prompt_tokens ?? 0) > 0 && (response.usage.completion_tokens ?? 0) > 0,
    async: ended.status,
    history: history.map((message) => readMessage(message).type),
  };
}

async function runStream() {
  const agent = await anAgent();
  const morning = { messages: say('Good morning'), include_pings: false };
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- programs of its time call it
  const whole = await collect(await client.agents.messages.stream(agent.id, morning));
  const tokens = await client.agents.messages.create(agent.id, {
    messages: say('Good evening'),
    streaming: true,
    stream_tokens: true,
    include_pings: false,
  });
  return streamFacts(whole, await collect(tokens));
}

interface Numbered {
  readonly run_id?: string | null;
  readonly seq_id?: number | null;
}

async function runResume() {
  const agent = await anAgent();
  const first = await client.agents.messages.create(agent.id, {
    messages: say('Good evening'),
    streaming: true,
    stream_tokens: true,
    background: true,
  });
  const seen: object[] = [];
  for await (const chunk of first) {
    if (readMessage(chunk).type === 'ping') continue;
    seen.push(chunk);
    break;
  }
  first.controller.abort();
  const { run_id: run, seq_id: seq }: Numbered = seen[0] ?? {};
  const read = async (after: number): Promise<object[]> =>
    collect(await client.runs.messages.stream(run ?? '', { starting_after: after, include_pings: false }));
  const joined = [...seen, ...(await read(seq ?? 0))];
  const again = await read(0);
  const numbers = joined.map((chunk: Numbered) => chunk.seq_id ?? 0);
  return {
    ...resumed(joined),
    same: JSON.stringify(again.map((chunk: Numbered) => chunk.seq_id)) === JSON.stringify(numbers),
    rising: numbers.every((number, index) => number > (numbers[index - 1] ?? 0)),
  };
}

function resumed(chunks: readonly object[]) {
  const read = chunks.map(readMessage);
  const said = read.filter((chunk) => chunk.type === 'assistant_message');
  return {
    joined: said.map((chunk) => chunk.content).join(''),
    last: read.slice(-2).map((chunk) => chunk.type),
  };
}

async function runCancel() {
  const agent = await anAgent({ model: 'openai/hanging' });
  const run = await client.agents.messages.createAsync(agent.id, { messages: say('Good morning') });
  const cancelled = await client.agents.messages.cancel(agent.id, { run_ids: [run.id] });
  const ended = await waitUntilEnded(() => client.runs.retrieve(run.id));
  return {
    answer: cancelled[run.id],
    run: [ended.status, ended.stop_reason],
    again: await statusOf(client.agents.messages.cancel(agent.id)),
  };
}

async function runRetry() {
  const agent = await anAgent({ model: 'openai/slow' });
  const impatience = { timeout: 2_000, maxRetries: 5 };
  const response = await client.agents.messages.create(agent.id, { messages: say('Hello') }, impatience);
  const runs = await collect(client.runs.list({ agent_id: agent.id }));
  const history = await collect(client.agents.messages.list(agent.id, { order: 'asc' }));
  return {
    said: response.messages.map(readMessage).at(-1)?.content,
    runs: runs.map((run) => run.status),
    history: history.map((message) => readMessage(message).type),
  };
}

async function runRuns() {
  const agent = await anAgent();
  const run = await client.agents.messages.createAsync(agent.id, { messages: say('Good morning') });
  const ended = await waitUntilEnded(() => client.runs.retrieve(run.id));
  const steps = await collect(client.runs.steps.list(run.id));
  const step = await client.steps.retrieve(steps[0]?.id ?? '');
  const usage = await client.runs.usage.retrieve(run.id);
  const said = await collect(client.runs.messages.list(run.id));
  const listed = await collect(client.runs.list({ agent_id: agent.id, statuses: ['completed'] }));
  return {
    status: ended.status,
    listed: listed.map((one) => one.id === run.id),
    active: (await collect(client.runs.list({ agent_id: agent.id, active: true }))).length,
    said: said.map(readMessage).at(-1)?.content,
    steps: steps.map((one) => one.status),
    step: [step.run_id === run.id, step.model, step.total_tokens === usage.total_tokens],
    ofAgent: (await collect(client.steps.list({ agent_id: agent.id }))).length,
    ofStep: (await collect(client.steps.messages.list(step.id))).length,
  };
}

async function runTools() {
  const agent = await anAgent();
  const found = await collect(client.tools.list({ name: 'conversation_search_date' }));
  const id = found[0]?.id ?? '';
  const names = async (limit: number) =>
    (await collect(client.agents.tools.list(agent.id, { limit }))).map((tool) => tool.name);
  await client.agents.tools.attach(id, { agent_id: agent.id });
  const attached = await names(2);
  await client.agents.tools.detach(id, { agent_id: agent.id });
  const detached = await names(100);
  return {
    found: found.map((tool) => tool.name),
    retrieved: (await client.tools.retrieve(id)).json_schema?.['name'],
    attached: attached.includes('conversation_search_date'),
    detached: detached.includes('conversation_search_date'),
    base: detached.sort(),
  };
}

async function runModels() {
  const handles = (await client.models.list()).map((model) => model.handle);
  const embeddings = (await client.models.embeddings.list()).map((model) => model.handle);
  return {
    models: handles.includes('openai/scripted'),
    embeddings: embeddings.includes('openai/text-embedding-3-small'),
    health: (await client.health()).status,
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
    label: await problemOf(client.agents.blocks.retrieve('nothing', { agent_id: agent.id })),
    limit: await problemOf(client.blocks.update(block.id, { value: 'too long' })),
    model: await problemOf(anAgent({ model: 'nobody/model' })),
  };
}

await runAreas({
  agents: runAgents,
  blocks: runBlocks,
  passages: runPassages,
  messages: runMessages,
  stream: runStream,
  resume: runResume,
  cancel: runCancel,
  retry: runRetry,
  runs: runRuns,
  tools: runTools,
  models: runModels,
  errors: runErrors,
});
