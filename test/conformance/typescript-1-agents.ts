import Letta from 'letta-client-1';
import { blocks, collect, models, problemOf, readMessage, runAreas } from './areas.js';

/** `@letta-ai/letta-client` 1.12.1: conversations, approvals, between turns, agents as files. Run with a base URL; see areas.ts. */
const client = new Letta({ baseURL: process.argv[2] ?? '', apiKey: 'none' });

const anAgent = (): Promise<Letta.AgentState> => client.agents.create({ ...models, memory_blocks: blocks });

function say(content: string): { role: 'user'; content: string }[] {
  return [{ role: 'user', content }];
}

function spoken(messages: readonly object[]): string[] {
  return messages
    .map(readMessage)
    .flatMap(({ type, content }) => (type === 'assistant_message' ? [content] : []));
}

async function statusOf(call: Promise<unknown>): Promise<number> {
  return (await problemOf(call)).status;
}

async function conversations() {
  const agent = await anAgent();
  const ids = [];
  for (const summary of ['one', 'two', 'three']) {
    ids.push((await client.conversations.create({ agent_id: agent.id, summary })).id);
  }
  const [one = '', two = '', three = ''] = ids;
  const listed = await client.conversations.list({ agent_id: agent.id, limit: 2 });
  const rest = await client.conversations.list({
    agent_id: agent.id,
    limit: 2,
    after: listed.at(-1)?.id ?? '',
  });
  await client.conversations.update(one, { summary: 'first', archived: true });
  const first = await client.conversations.retrieve(one);
  const chunks = await collect(
    await client.conversations.messages.create(two, { messages: say('Good morning') }),
  );
  const said = await collect(client.conversations.messages.list(two));
  const fork = await client.conversations.fork(two);
  const forked = await collect(client.conversations.messages.list(fork.id));
  const [begun] = chunks as { run_id?: string }[];
  const resumed = await collect(
    await client.conversations.messages.stream(two, { run_id: begun?.run_id ?? null }),
  );
  const compacted = await client.conversations.messages.compact(two);
  const cancelled = await statusOf(client.conversations.cancel(two));
  await client.conversations.delete(three);
  return {
    pages: [listed.map(({ summary }) => summary), rest.map(({ summary }) => summary)],
    updated: [first.summary, first.archived],
    said: spoken(chunks),
    listed: [said.length, forked.length],
    resumed: spoken(resumed),
    compacted: compacted.num_messages_before >= compacted.num_messages_after,
    cancelled,
    deleted: await statusOf(client.conversations.retrieve(three)),
  };
}

interface Shown {
  readonly message_type?: string | undefined;
  readonly tool_calls?: unknown;
  readonly status?: unknown;
  readonly tool_return?: unknown;
}

async function approvals() {
  const { id } = await anAgent();
  await client.agents.tools.updateApproval('memory_insert', { agent_id: id, body_requires_approval: true });
  const ask = async () => {
    const waiting = await client.agents.messages.create(id, { messages: say('Remember that I sail') });
    const shown: readonly Shown[] = waiting.messages;
    const request = shown.find((one) => one.message_type === 'approval_request_message');
    const [call] = request?.tool_calls as { tool_call_id: string }[];
    return { stop: waiting.stop_reason.stop_reason, call: call?.tool_call_id ?? '' };
  };
  const decide = async (decision: Letta.Agents.ApprovalReturn | Letta.Agents.ToolReturn) => {
    const message = { type: 'approval' as const, approvals: [decision] };
    const answer = await client.agents.messages.create(id, { messages: [message] });
    return answer.messages as readonly Shown[];
  };
  const returns = (shown: readonly Shown[]) =>
    shown.filter((one) => one.message_type === 'tool_return_message');
  const { stop, call } = await ask();
  const pending = (await client.agents.retrieve(id)).pending_approval;
  const approved = await decide({ type: 'approval', tool_call_id: call, approve: true });
  const human = (await client.agents.blocks.retrieve('human', { agent_id: id })).value;
  const second = await ask();
  const denied = await decide({ type: 'approval', tool_call_id: second.call, approve: false, reason: 'no' });
  const third = await ask();
  const returned = await decide({
    type: 'tool',
    tool_call_id: third.call,
    status: 'success',
    tool_return: 'Done elsewhere.',
  });
  const unknown = await statusOf(decide({ type: 'approval', tool_call_id: 'call_x', approve: true }));
  await ask();
  const cancelled = await client.agents.messages.cancel(id);
  return {
    waits: stop,
    pending: pending != null,
    approved: approved.map((one) => one.message_type),
    edited: human.includes('Sails.'),
    denied: returns(denied).map((one) => one.status),
    returned: returns(returned).map((one) => one.tool_return),
    unknown,
    cancelled: Object.values(cancelled),
    left: (await client.agents.retrieve(id)).pending_approval,
  };
}

async function between() {
  const { id } = await anAgent();
  await client.agents.messages.create(id, { messages: say('Good morning') });
  const compacted = await client.agents.messages.compact(id);
  await client.agents.messages.reset(id, {});
  return {
    compacted: compacted.num_messages_before >= compacted.num_messages_after,
    left: (await collect(client.agents.messages.list(id))).length,
  };
}

async function transfer() {
  const made = { ...models, memory_blocks: blocks, name: 'Ada', secrets: { KEY: 'f00d' } };
  const { id } = await client.agents.create(made);
  await client.agents.messages.create(id, { messages: say('Good morning') });
  const read = async (query = {}) => JSON.stringify(await client.agents.exportFile(id, query));
  const file = await read();
  const take = (text: string, flags: object) =>
    client.agents.importFile({ file: new File([text], 'ada.af'), ...flags });
  const named = await take(file, { name: 'Eve', secrets: JSON.stringify({ KEY: 'new' }) });
  const bare = await take(file, { append_copy_suffix: false, strip_messages: true });
  const [copy, stripped] = await Promise.all(
    [named, bare].map((one) => client.agents.retrieve(one.agent_ids[0] ?? '')),
  );
  const list = async (of = '') => (await collect(client.agents.messages.list(of))).map(readMessage);
  const held = await collect(client.agents.blocks.list(copy?.id ?? ''));
  return {
    names: [copy?.name, stripped?.name],
    blocks: held.map((block) => block.value).sort(),
    said: (await list(copy?.id)).some((message) => message.type === 'user_message'),
    left: (await list(stripped?.id)).length,
    secrets: [file.includes('f00d'), copy?.secrets?.map((one) => one.value)],
    scrubbed: [file, await read({ scrub_messages: true })].map((text) => text.includes('Good morning')),
    refused: await statusOf(take('{}', {})),
  };
}

async function recompiling() {
  const agent = await anAgent();
  const thread = await client.conversations.create({ agent_id: agent.id });
  const prompt = await client.agents.recompile(agent.id, { dry_run: true });
  return {
    prompt: prompt.startsWith(agent.system.slice(0, 20)) && prompt.includes('I am Sam.'),
    done: (await client.agents.recompile(agent.id)).includes('I am Sam.'),
    thread: (await client.conversations.recompile(thread.id)).includes(thread.id),
  };
}

async function identities() {
  const { id: agent_id } = await anAgent();
  const body = { identifier_key: 'ts-1 ann', name: 'Ann', identity_type: 'user' };
  const { id } = await client.post<{ id: string }>('/v1/identities/', { body });
  await client.agents.identities.attach(id, { agent_id });
  const held = (await client.agents.retrieve(agent_id)).identities?.map((one) => one.id === id);
  await client.agents.identities.detach(id, { agent_id });
  return { held, left: (await client.agents.retrieve(agent_id)).identities };
}

await runAreas({ conversations, approvals, between, transfer, recompiling, identities });
