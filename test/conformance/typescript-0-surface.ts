import { randomUUID } from 'node:crypto';
import { LettaClient } from 'letta-client-0';
import { blocks, models, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 0.1.132 on counts and what only older clients ask: run with a base URL; see areas.ts. */
const client = new LettaClient({ baseUrl: process.argv[2] ?? '', token: 'none' });

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

await runAreas({ counts: runCounts });
