import { LettaClient } from 'letta-client-0';
import { blocks, models, problemOf, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 0.1.132 on groups: run with a base URL; see areas.ts for what it prints. */
const client = new LettaClient({ baseUrl: process.argv[2] ?? '', token: 'none' });

async function statusOf(call: Promise<unknown>): Promise<number> {
  return (await problemOf(call)).status;
}

async function anAgent(): Promise<string> {
  return (await client.agents.create({ ...models, memoryBlocks: blocks })).id;
}

async function sleeptime() {
  const agent = await client.agents.create({ ...models, memoryBlocks: blocks, enableSleeptime: true });
  const group = await client.groups.retrieve(agent.multiAgentGroup?.id ?? '');
  const partner = await client.agents.retrieve(group.agentIds[0] ?? '');
  const changed = await client.groups.modify(group.id, {
    managerConfig: { managerType: 'sleeptime', managerAgentId: agent.id, sleeptimeAgentFrequency: 2 },
  });
  return {
    group: [group.managerType, group.managerAgentId === agent.id, group.sleeptimeAgentFrequency],
    partner: [partner.agentType, partner.name === `${agent.name}-sleeptime`],
    changed: changed.sleeptimeAgentFrequency,
    read: (await client.agents.retrieve(agent.id)).multiAgentGroup?.sleeptimeAgentFrequency,
  };
}

async function groups() {
  const [main, first, second] = [await anAgent(), await anAgent(), await anAgent()];
  const managerConfig = {
    managerType: 'sleeptime' as const,
    managerAgentId: main,
    sleeptimeAgentFrequency: 3,
  };
  const made = await client.groups.create({ agentIds: [first], description: 'Beside Sam', managerConfig });
  const group = await client.groups.modify(made.id, {
    agentIds: [first, second],
    description: 'Two beside Sam',
  });
  const read = await client.groups.retrieve(made.id);
  const nobody = 'agent-00000000-0000-4000-8000-000000000000';
  const unknown = { managerType: 'sleeptime' as const, managerAgentId: nobody };
  const facts = {
    made: [made.description, made.agentIds.join() === first, made.sleeptimeAgentFrequency],
    changed: [group.description, read.agentIds.join() === `${first},${second}`, read.sleeptimeAgentFrequency],
    is_counted: (await client.groups.count()) >= 1,
    listed: (await client.groups.list({ managerType: 'sleeptime' }))
      .filter(({ id }) => id === made.id)
      .map(({ description }) => description),
    of: (await client.agents.groups.list(second)).map(({ id }) => id === made.id),
    unknown: await statusOf(
      client.groups.create({ agentIds: [first], description: '', managerConfig: unknown }),
    ),
    twice: await statusOf(client.groups.create({ agentIds: [second], description: '', managerConfig })),
  };
  await client.groups.delete(made.id);
  return { ...facts, deleted: await statusOf(client.groups.retrieve(made.id)) };
}

await runAreas({ sleeptime, groups });
