import { type Letta, LettaClient } from 'letta-client-0';
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

interface Shown {
  readonly messageType?: string;
  readonly name?: string;
  readonly senderId?: string;
  readonly content?: unknown;
}

/** Who said what, where an agent speaks; a stream ends with chunks that are no messages. */
function spoken(messages: readonly Shown[], names: ReadonlyMap<string | undefined, string>) {
  return messages
    .filter(({ messageType }) => messageType === 'assistant_message')
    .map(({ name, senderId, content }) => [name, names.get(senderId), content]);
}

async function talks() {
  const named = async (name: string) =>
    (await client.agents.create({ ...models, name, memoryBlocks: blocks })).id;
  const [ann, bob, boss] = [await named('Ann'), await named('Bob'), await named('Boss')];
  const names = new Map<string | undefined, string>([
    [ann, 'Ann'],
    [bob, 'Bob'],
    [boss, 'Boss'],
  ]);
  const good = (part: string) => ({ messages: [{ role: 'user' as const, content: `Good ${part}` }] });
  const converse = async (managerConfig: Letta.GroupCreateManagerConfig) => {
    const agentIds = [ann, bob];
    const { id } = await client.groups.create({ agentIds, description: 'Plans a picnic', managerConfig });
    const answer = await client.groups.messages.create(id, good('morning'));
    return { id, messages: answer.messages as Shown[], steps: answer.usage.stepCount };
  };
  const round = await converse({ managerType: 'round_robin', maxTurns: 3 });
  const supervisor = await converse({ managerType: 'supervisor', managerAgentId: boss });
  const dynamic = await converse({
    ...{ managerType: 'dynamic', managerAgentId: boss },
    ...{ maxTurns: 2, terminationToken: 'ENOUGH' },
  });
  const chunks: Shown[] = [];
  const stream = await client.groups.messages.createStream(round.id, good('evening'));
  for await (const chunk of stream) chunks.push(chunk);
  const first = await client.groups.messages.list(round.id, { limit: 2 });
  const before = await client.groups.messages.list(round.id, { limit: 2, before: first.at(-1)?.id ?? '' });
  const last = round.messages.findLast(({ messageType }) => messageType === 'assistant_message') as
    { readonly id: string } | undefined;
  const update = { messageType: 'assistant_message' as const, content: 'Changed.' };
  const changed = (await client.groups.messages.modify(round.id, last?.id ?? '', update)) as Shown;
  const listed = (await client.groups.messages.list(round.id, { limit: 50 })) as Shown[];
  const seen = new Set(first.map(({ id }) => id));
  const facts = {
    said: {
      round_robin: spoken(round.messages, names),
      supervisor: spoken(supervisor.messages, names),
      dynamic: spoken(dynamic.messages, names),
    },
    cost: [round.steps, supervisor.steps],
    streamed: spoken(chunks, names),
    end: chunks.slice(-2).map(({ messageType }) => messageType),
    pages: [seen.size >= 1, before.every(({ id }) => !seen.has(id))],
    changed: [changed.content, listed.some(({ content }) => content === 'Changed.')],
    unknown: await statusOf(client.groups.messages.list('group-00000000-0000-4000-8000-000000000000')),
  };
  await client.groups.messages.reset(round.id);
  return { ...facts, reset: (await client.groups.messages.list(round.id)).length };
}

await runAreas({ sleeptime, groups, talks });
