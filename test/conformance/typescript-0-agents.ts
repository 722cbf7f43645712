import { LettaClient } from 'letta-client-0';
import { blocks, models, readMessage, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 0.1.132: what is done to messages between turns. Run with a base URL; see areas.ts. */
const client = new LettaClient({ baseUrl: process.argv[2] ?? '', token: 'none' });

async function between() {
  const { id } = await client.agents.create({ ...models, memoryBlocks: blocks });
  await client.agents.messages.create(id, { messages: [{ role: 'user', content: 'Good morning' }] });
  const list = async () => (await client.agents.messages.list(id)).map(readMessage);
  const asked = (await list()).find((message) => message.type === 'user_message');
  const messageId = asked?.id ?? '';
  const edited = await client.agents.messages.modify(id, messageId, {
    messageType: 'user_message',
    content: 'Good night',
  });
  const read = (await list()).find((message) => message.id === messageId);
  await client.agents.messages.reset(id);
  return { edited: [readMessage(edited).content, read?.content], left: (await list()).length };
}

await runAreas({ between });
