import { randomUUID } from 'node:crypto';
import { Letta } from 'letta-client-1';
import { blocks, collect, models, problemOf, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 1.12.1 on archives, searches and judgements: run with a base URL; see areas.ts. */
const client = new Letta({ baseURL: process.argv[2] ?? '', apiKey: 'none' });

function anAgent(fields: Letta.AgentCreateParams = {}) {
  return client.agents.create({ ...models, memory_blocks: blocks, ...fields });
}

function greet(agentId: string, content: string) {
  return client.agents.messages.create(agentId, { messages: [{ role: 'user', content }] });
}

async function statusOf(call: Promise<unknown>): Promise<number> {
  return (await problemOf(call)).status;
}

async function runArchives() {
  const agent = await anAgent();
  const name = `shelf ${randomUUID()}`;
  const made = [];
  for (let count = 0; count < 3; count += 1) {
    made.push(await client.archives.create({ name, embedding: models.embedding }));
  }
  const first = made[0]?.id ?? '';
  const page = await client.archives.list({ name, limit: 2, order: 'asc' });
  const rest = await page.getNextPage();
  await client.archives.update(first, { description: 'Sea songs.' });
  const passage = await client.archives.passages.create(first, {
    text: 'Mina sails.',
    tags: ['sea'],
    metadata: { page: 1 },
  });
  const many = await client.archives.passages.createMany(first, {
    passages: [{ text: 'Sid sings.' }, { text: 'Ada sows.' }],
  });
  await client.archives.passages.delete(many[1]?.id ?? '', { archive_id: first });
  const found = await client.passages.search({ archive_id: first, query: 'who sails?', limit: 1 });
  const tagged = await client.passages.search({ archive_id: first, tags: ['sea'] });
  await client.agents.archives.attach(first, { agent_id: agent.id });
  const having = await collect(client.archives.list({ agent_id: agent.id }));
  const own = await client.agents.passages.search(agent.id, { query: 'sings', top_k: 1 });
  await client.agents.archives.detach(first, { agent_id: agent.id });
  const facts = {
    created: [made[0]?.name === name, made[0]?.embedding_config?.handle],
    pages: [page.items.length, rest.items.length],
    described: (await client.archives.retrieve(first)).description,
    passage: [passage.text, passage.tags, passage.metadata, passage.archive_id === first],
    many: many.map((one) => one.text),
    found: found.map((one) => [one.passage.text, one.score > 0]),
    tagged: tagged.map((one) => one.passage.text),
    having: having.map((one) => one.id === first),
    own: own.results.map((one) => one.content),
    without: (await client.agents.passages.search(agent.id, { query: 'sings' })).count,
  };
  await client.archives.delete(first);
  return { ...facts, deleted: await statusOf(client.archives.retrieve(first)) };
}

async function runAllMessages() {
  const agent = await anAgent();
  const word = `w${randomUUID().replaceAll('-', '')}`;
  await greet(agent.id, `Good morning ${word}`);
  const found = await client.messages.search({ query: word, search_mode: 'fts' });
  const own = await client.messages.search({ query: word, agent_id: agent.id, limit: 1 });
  const retrieved = await client.messages.retrieve(found[0]?.message_id ?? '');
  const page = await client.messages.list({ limit: 1 });
  const last = page.at(-1)?.id ?? '';
  const rest = await client.messages.list({ limit: 1, after: last });
  const holds = (one: object): boolean => 'content' in one && String(one.content).includes(word);
  return {
    found: found.map((one) => [one.message_type, holds(one), one.agent_id === agent.id]),
    own: own.map((one) => one.message_type),
    retrieved: retrieved.map((one) => [one.message_type, holds(one)]),
    pages: last !== rest.at(-1)?.id,
    missing: await statusOf(client.messages.retrieve(`message-${randomUUID()}`)),
  };
}

async function runJudgements() {
  const tag = `t${randomUUID().replaceAll('-', '')}`;
  const agent = await anAgent({ tags: [tag] });
  await greet(agent.id, 'Good morning');
  const [step] = await collect(client.steps.list({ agent_id: agent.id }));
  const id = step?.id ?? '';
  const metrics = await client.steps.metrics.retrieve(id);
  const judged = await client.steps.feedback.create(id, { feedback: 'positive', tags: ['kind'] });
  const kept = await collect(client.steps.list({ agent_id: agent.id, feedback: 'positive' }));
  const spent = metrics.llm_request_ns ?? NaN;
  return {
    metrics: [metrics.id === id, spent > 0, (metrics.step_ns ?? NaN) >= spent],
    judged: [judged.feedback, judged.tags],
    kept: kept.map((one) => one.feedback),
    others: (await collect(client.steps.list({ agent_id: agent.id, has_feedback: false }))).length,
    tags: JSON.stringify(await client.tags.list({ query_text: tag })) === JSON.stringify([tag]),
    missing: await statusOf(client.steps.metrics.retrieve(`step-${randomUUID()}`)),
  };
}

await runAreas({ archives: runArchives, all_messages: runAllMessages, judgements: runJudgements });
