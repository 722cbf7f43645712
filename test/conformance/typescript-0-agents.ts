import { LettaClient } from 'letta-client-0';
import { blocks, models, problemOf, readMessage, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 0.1.132: what is done to messages between turns, and agents as files. Run with a base URL; see areas.ts. */
const client = new LettaClient({ baseUrl: process.argv[2] ?? '', token: 'none' });

async function between() {
  const { id } = await client.agents.create({ ...models, memoryBlocks: blocks });
  await client.agents.messages.create(id, { messages: [{ role: 'user', content: 'Good morning' }] });
  const list = async () => (await client.agents.messages.list(id)).map(readMessage);
  const idOf = (type: string, among: Awaited<ReturnType<typeof list>>) =>
    among.find((message) => message.type === type)?.id ?? '';
  const listed = await list();
  const [askedId, answeredId] = [idOf('user_message', listed), idOf('assistant_message', listed)];
  const edited = await client.agents.messages.modify(id, askedId, { content: 'Good night' });
  await client.agents.messages.modify(id, answeredId, { content: 'Sleep well' });
  const said = (await list()).filter((message) => message.type !== 'reasoning_message');
  const read = new Map(said.map((message) => [message.id, message.content]));
  await client.agents.messages.reset(id);
  return {
    edited: [readMessage(edited).content, read.get(askedId), read.get(answeredId)],
    left: (await list()).length,
  };
}

async function transfer() {
  const { id } = await client.agents.create({ ...models, name: 'Ada', memoryBlocks: blocks });
  await client.agents.messages.create(id, { messages: [{ role: 'user', content: 'Good morning' }] });
  const file = await client.agents.exportFile(id);
  const take = (text: string, flags: object) => client.agents.importFile(new File([text], 'ada.af'), flags);
  const copy = await take(file, { appendCopySuffix: true });
  const bare = await take(file, { appendCopySuffix: false, stripMessages: true });
  const list = async (of: string) => (await client.agents.messages.list(of)).map(readMessage);
  return {
    names: [copy.name, bare.name],
    blocks: copy.memory.blocks.map((block) => block.value).sort(),
    said: (await list(copy.id)).some((message) => message.type === 'user_message'),
    left: (await list(bare.id)).length,
    refused: (await problemOf(take('{}', {}))).status,
  };
}

async function insight() {
  const { id } = await client.agents.create({ ...models, memoryBlocks: blocks, contextWindowLimit: 16_000 });
  await client.agents.messages.create(id, { messages: [{ role: 'user', content: 'Good morning' }] });
  const overview = await client.agents.context.retrieve(id);
  return {
    window: overview.contextWindowSizeMax,
    fits: overview.contextWindowSizeCurrent > 0 && overview.contextWindowSizeCurrent < 16_000,
    core: overview.coreMemory.includes('I am Sam.'),
    messages: overview.messages.map((message) => message.role),
    tools: overview.functionsDefinitions?.some((tool) => tool.function.name === 'send_message'),
  };
}

async function identities() {
  const agent = await client.agents.create({ ...models, memoryBlocks: blocks });
  const ours = { projectId: 'ts-0' };
  const make = (name: string) =>
    client.identities.create({
      ...{ identifierKey: name, name, identityType: 'user' as const },
      ...{ agentIds: [agent.id], ...ours },
    });
  const made = [await make('ann'), await make('bob'), await make('cid')];
  const [ann = '', bob = '', cid = ''] = made.map((one) => one.id ?? '');
  const taken = await problemOf(make('ann'));
  const upserted = await client.identities.upsert({
    ...{ identifierKey: 'ann', name: 'Ann', identityType: 'org' as const, ...ours },
  });
  await client.identities.modify(bob, { name: 'Bob', agentIds: [] });
  await client.identities.properties.upsert(bob, [{ key: 'plan', value: 'pro', type: 'string' }]);
  const read = await client.identities.retrieve(bob);
  const pages = [
    await client.identities.list({ limit: 2, ...ours }),
    await client.identities.list({ limit: 2, after: bob, ...ours }),
  ];
  const counted = (await client.identities.count()) >= 3;
  await client.identities.delete(cid);
  return {
    taken: taken.status,
    upserted: [upserted.id === ann, upserted.name, upserted.identityType],
    read: [read.name, read.agentIds, read.properties?.map((one) => one.value)],
    pages: pages.map((page) => page.map((one) => one.name)),
    counted,
    of: (await client.agents.list({ identityId: ann })).map((one) => one.id === agent.id),
    unknown: (await problemOf(client.identities.retrieve(cid))).status,
  };
}

await runAreas({ between, transfer, insight, identities });
