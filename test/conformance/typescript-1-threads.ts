import { randomUUID } from 'node:crypto';
import { Letta } from 'letta-client-1';
import { blocks, collect, models, problemOf, readMessage, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 1.12.1 on conversations, schedules and custom tools: run with a base URL; see areas.ts. */
const client = new Letta({ baseURL: process.argv[2] ?? '', apiKey: 'none' });

function anAgent(fields: Letta.AgentCreateParams = {}) {
  return client.agents.create({ ...models, memory_blocks: blocks, ...fields });
}

async function statusOf(call: Promise<unknown>): Promise<number> {
  return (await problemOf(call)).status;
}

function say(content: string) {
  return [{ role: 'user' as const, content }];
}

async function typesIn(conversation: string): Promise<string[]> {
  const messages = await collect(client.conversations.messages.list(conversation, { order: 'asc' }));
  return messages.map((message) => readMessage(message).type);
}

async function firstType(stream: AsyncIterable<object> & { controller: AbortController }): Promise<string> {
  let type = '';
  for await (const chunk of stream) {
    ({ type } = readMessage(chunk));
    break;
  }
  stream.controller.abort();
  return type;
}

async function runConversations() {
  const agent = await anAgent();
  const made = [];
  for (const index of [0, 1, 2]) {
    made.push(await client.conversations.create({ agent_id: agent.id, summary: `talk ${index}` }));
  }
  const first = made[0]?.id ?? '';
  const asked = { agent_id: agent.id, limit: 2, order: 'asc' as const };
  const page = await client.conversations.list(asked);
  const rest = await client.conversations.list({ ...asked, after: page.at(-1)?.id ?? '' });
  await client.conversations.update(first, { summary: 'sea' });
  const chunks = await collect(
    await client.conversations.messages.create(first, { messages: say('Good morning') }),
  );
  const history = await client.conversations.messages.list(first, { limit: 1, order: 'asc' });
  const next = await history.getNextPage();
  const fork = await client.conversations.fork(first);
  const facts = {
    made: [made[0]?.agent_id === agent.id, made[0]?.summary],
    pages: [page.length, rest.length],
    changed: (await client.conversations.retrieve(first)).summary,
    said: chunks
      .map(readMessage)
      .filter(({ type }) => type === 'assistant_message')
      .map(({ content }) => content),
    history: [history, next].map(({ items }) => items.map((one) => readMessage(one).type)),
    apart: (await collect(client.agents.messages.list(agent.id))).length,
    copied: [fork.id !== first, await typesIn(fork.id)],
  };
  await client.conversations.delete(first);
  return { ...facts, deleted: await statusOf(client.conversations.retrieve(first)) };
}

async function runRunningConversation() {
  const agent = await anAgent({ model: 'openai/hanging' });
  const { id } = await client.conversations.create({ agent_id: agent.id });
  const begun = await client.conversations.messages.create(id, {
    messages: say('Good morning'),
    streaming: true,
    background: true,
  });
  return {
    begun: await firstType(begun),
    resumed: await firstType(await client.conversations.messages.stream(id)),
    cancelled: Object.values(await client.conversations.cancel(id)),
    again: await statusOf(client.conversations.cancel(id)),
  };
}

async function runSchedules() {
  const agent = await anAgent();
  const later = Date.now() + 86_400_000;
  const made = [];
  for (const index of [0, 1, 2]) {
    const schedule = { type: 'one-time' as const, scheduled_at: later + index };
    made.push(await client.agents.schedule.create(agent.id, { messages: say('Good morning'), schedule }));
  }
  const first = made[0]?.id ?? '';
  const at = { agent_id: agent.id };
  const read = await client.agents.schedule.retrieve(first, at);
  const page = await client.agents.schedule.list(agent.id, { limit: '2' });
  const after = page.scheduled_messages.at(-1)?.id ?? '';
  const rest = await client.agents.schedule.list(agent.id, { limit: '2', after });
  await client.agents.schedule.delete(first, at);
  const wrong = { type: 'recurring' as const, cron_expression: 'never' };
  const { schedule } = read;
  return {
    read: [
      read.agent_id === agent.id,
      read.message.messages[0]?.content,
      'scheduled_at' in schedule && schedule.scheduled_at === later,
    ],
    pages: [
      page.scheduled_messages.length,
      page.has_next_page,
      rest.scheduled_messages.length,
      rest.has_next_page,
    ],
    deleted: await statusOf(client.agents.schedule.retrieve(first, at)),
    wrong: await statusOf(
      client.agents.schedule.create(agent.id, { messages: say('Hello'), schedule: wrong }),
    ),
  };
}

async function runCustomTools() {
  const name = `roll_${randomUUID().slice(0, 8)}`;
  const code = `def ${name}(sides: int) -> int:\n    """Rolls a die.\n\n    Args:\n        sides (int): How many.\n    """\n`;
  const made = await client.tools.create({ source_code: `${code}    return sides\n` });
  const again = await client.tools.upsert({ source_code: `${code}    return sides - 1\n` });
  await client.tools.update(made.id, { tags: ['dice'] });
  const read = await client.tools.retrieve(made.id);
  const { parameters } = (made.json_schema ?? {}) as { parameters?: { properties?: object } };
  const facts = {
    made: [made.name === name, made.tool_type, Object.keys(parameters?.properties ?? {})],
    same: again.id === made.id,
    read: [read.source_code?.includes('sides - 1'), read.tags],
    taken: await statusOf(client.tools.create({ source_code: `${code}    return 1\n` })),
    wrong: await statusOf(client.tools.create({ source_code: 'def broken(:' })),
  };
  await client.tools.delete(made.id);
  return { ...facts, deleted: await statusOf(client.tools.retrieve(made.id)) };
}

await runAreas({
  conversations: runConversations,
  running_conversation: runRunningConversation,
  schedules: runSchedules,
  custom_tools: runCustomTools,
});
