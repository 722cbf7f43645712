import { randomUUID } from 'node:crypto';
import { LettaClient } from 'letta-client-0';
import { blocks, models, problemOf, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 0.1.132 on counts and what only older clients ask: run with a base URL; see areas.ts. */
const client = new LettaClient({ baseUrl: process.argv[2] ?? '', token: 'none' });

const noPassage = 'passage-00000000-0000-4000-8000-000000000000';

async function runCounts() {
  const tag = `t${randomUUID().replaceAll('-', '')}`;
  const before = [await client.agents.count(), await client.blocks.count()];
  const agent = await client.agents.create({ ...models, memoryBlocks: blocks, tags: [tag] });
  const memory = await client.agents.coreMemory.retrieve(agent.id);
  const tags = await client.tags.list({ queryText: tag });
  const providers = await client.providers.list();
  return {
    agents: (await client.agents.count()) > (before[0] ?? NaN),
    blocks: (await client.blocks.count()) > (before[1] ?? NaN),
    tools: (await client.tools.count()) > 0,
    tags: JSON.stringify(tags) === JSON.stringify([tag]),
    memory: memory.blocks.map((block) => block.label),
    active: (await client.runs.listActive({ agentIds: [agent.id] })).length,
    providers: providers.map((provider) => provider.name).includes('openai'),
  };
}

async function runUpkeep() {
  const name = `Ada ${randomUUID().slice(0, 8)}`;
  const agent = await client.agents.create({
    ...models,
    memoryBlocks: blocks,
    name,
    memoryVariables: { town: 'Oslo' },
  });
  const other = await client.agents.create({ ...models, memoryBlocks: blocks, name: `${name} the Second` });
  const [kept] = await client.agents.passages.create(agent.id, { text: 'Mina sails.' });
  const [edited] = await client.agents.passages.modify(agent.id, kept?.id ?? '', {
    id: kept?.id ?? '',
    text: 'Mina rows.',
    metadata: { page: 2 },
  });
  const read = await client.agents.passages.list(agent.id);
  const absent = await problemOf(
    client.agents.passages.modify(agent.id, noPassage, { id: noPassage, text: 'Nothing.' }),
  );
  const { messages } = await client.agents.messages.create(agent.id, {
    messages: [{ role: 'user', content: 'Good morning' }],
  });
  const [run] = await client.runs.list({ agentIds: [agent.id] });
  const steps = await client.runs.steps.list(run?.id ?? '');
  const holders = await client.blocks.agents.list(agent.memory.blocks[0]?.id ?? '');
  const gone = await client.runs.delete(run?.id ?? '');
  const named = { field: 'name', operator: 'contains', value: name } as const;
  const first = await client.agents.search({ search: [named], limit: 1 });
  const second = await client.agents.search({ search: [named], limit: 1, after: first.nextCursor ?? '' });
  return {
    steps: steps.map((step) => step.agentId === agent.id),
    holders: holders.map((holder) => holder.id === agent.id),
    health: (await client.health.check()).status,
    edited: [edited?.id === kept?.id, edited?.text, edited?.metadata],
    read: read.map((passage) => passage.text),
    absent: absent.status,
    deleted: [
      gone.id === run?.id,
      gone.status,
      (await problemOf(client.runs.retrieve(run?.id ?? ''))).status,
    ],
    left: [messages.length > 0, (await client.agents.messages.list(agent.id)).length > 0],
    again: (await problemOf(client.runs.delete(run?.id ?? ''))).status,
    providers: await client.providers.check(),
    variables: (await client.agents.memoryVariables.list(agent.id)).variables,
    none: (await client.agents.memoryVariables.list(other.id)).variables,
    found: [...first.agents, ...second.agents].map((one) => one.id === agent.id),
    end: second.nextCursor ?? null,
  };
}

await runAreas({ counts: runCounts, upkeep: runUpkeep });
