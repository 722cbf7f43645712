import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { purgeDeletedConversations } from '../../../schema/threads/conversations.js';
import { wireConversation, type WireConversation } from '../../../server/threads/conversations-wire.js';
import { wireMessage } from '../../../server/threads/message-shapes-wire.js';
import { wireRun } from '../../../server/turns/runs-wire.js';
import { beginTurn, endTurn, say, speech } from '../play-turn.js';
import { stainlessHeaders, startTestServer, type TestServer } from '../test-server.js';

const conversations = z.array(wireConversation);
const messages = z.array(wireMessage);
const runs = z.array(wireRun);
const headers = stainlessHeaders;

describe('conversations over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  const begin = (agentId: string, body: object = {}): Promise<WireConversation> =>
    server.read(wireConversation, 'POST', `/v1/conversations/?agent_id=${agentId}`, { headers, body });

  /** Sends a message in the background and returns the id of its run, which the test then plays. */
  async function open(path: string, text: string, more: object = {}): Promise<string> {
    const body = { messages: [{ role: 'user', content: text, ...more }], streaming: false };
    void server.call('POST', path, { headers, body });
    for (;;) {
      const [run] = await server.read(runs, 'GET', '/v1/runs/?active=true&limit=1');
      if (run?.status === 'created') return run.id;
    }
  }

  async function converse(conversation: { id: string }, text: string, answer: string): Promise<void> {
    const runId = await open(`/v1/conversations/${conversation.id}/messages`, text);
    await beginTurn(server.db, runId);
    await say(server.db, runId, { body: speech(answer) });
    await say(server.db, runId, {
      body: { kind: 'tool', toolCallId: 'c1', toolName: 'send_message', status: 'success', content: 'Sent.' },
    });
    await endTurn(server.db, runId);
  }

  it('[conversation.crud] creates, retrieves, changes and archives a conversation', async () => {
    const agent = await server.anAgent();

    const made = await begin(agent.id, {
      summary: 'Boats',
      model: 'perdure/demo',
      context_window_limit: 9000,
    });
    const path = `/v1/conversations/${made.id}`;
    const changed = await server.read(wireConversation, 'PATCH', path, {
      body: { summary: 'Ships', model: null, model_settings: { temperature: 0.5 }, archived: true },
    });
    const read = await server.read(wireConversation, 'GET', path);
    const back = await server.read(wireConversation, 'PATCH', path, { body: { archived: false } });

    expect(made).toMatchObject({
      id: expect.stringMatching(/^conv-/),
      agent_id: agent.id,
      summary: 'Boats',
      model: 'perdure/demo',
      context_window_limit: 9000,
      archived: false,
      last_message_at: null,
    });
    expect(changed).toMatchObject({
      summary: 'Ships',
      model: null,
      context_window_limit: 9000,
      model_settings: { temperature: 0.5 },
      archived: true,
      archived_at: expect.any(String),
    });
    expect(read).toEqual(changed);
    expect(back).toMatchObject({ archived: false, archived_at: null, summary: 'Ships' });
  });

  it('[conversation.crud] lists conversations by page, agent, archive status, summary and newest message', async () => {
    const agent = await server.anAgent();
    await begin((await server.anAgent()).id);
    const made = [];
    for (const summary of ['one', 'two', 'three']) made.push(await begin(agent.id, { summary }));
    await begin(agent.id, { summary: 'unseen', hidden: true });
    const list = async (query: string): Promise<(string | null)[]> => {
      const url = `/v1/conversations/?agent_id=${agent.id}&${query}`;
      return (await server.read(conversations, 'GET', url)).map((one) => one.summary);
    };
    await server.read(wireConversation, 'PATCH', `/v1/conversations/${made[1]!.id}`, {
      body: { archived: true },
    });
    await converse(made[0]!, 'hello', 'hi');

    expect(await list('')).toEqual(['three', 'two', 'one']);
    expect(await list('limit=2')).toEqual(['three', 'two']);
    expect(await list(`limit=2&after=${made[1]!.id}`)).toEqual(['one']);
    expect(await list('order=asc')).toEqual(['one', 'two', 'three']);
    expect(await list('archive_status=archived')).toEqual(['two']);
    expect(await list('archive_status=unarchived')).toEqual(['three', 'one']);
    expect(await list('summary_search=HRE')).toEqual(['three']);
    expect(await list('order_by=last_message_at&limit=1')).toEqual(['one']);
  });

  it('[conversation.crud] orders conversations by newest message or newest end of a run, by page', async () => {
    const agent = await server.anAgent();
    const made = [];
    for (const summary of ['one', 'two', 'three']) made.push(await begin(agent.id, { summary }));
    await converse(made[1]!, 'first', 'ended');
    await converse(made[0]!, 'second', 'ended');
    const unfinished = await open(`/v1/conversations/${made[1]!.id}/messages`, 'third, still running');
    await beginTurn(server.db, unfinished);
    const list = (query: string): Promise<WireConversation[]> =>
      server.read(conversations, 'GET', `/v1/conversations/?agent_id=${agent.id}&${query}`);
    const summaries = async (query: string): Promise<(string | null)[]> =>
      (await list(query)).map((one) => one.summary);

    const whole = await list('order_by=last_message_at');

    expect(whole.map((one) => one.summary)).toEqual(['two', 'one', 'three']);
    expect(whole.map((one) => one.in_context_message_ids.length)).toEqual([5, 4, 1]);
    expect(await summaries('order_by=last_run_completion')).toEqual(['one', 'two', 'three']);
    expect(await summaries('order_by=last_run_completion&order=asc')).toEqual(['three', 'two', 'one']);
    expect(await summaries(`order_by=last_run_completion&limit=1&after=${made[0]!.id}`)).toEqual(['two']);
    expect(await summaries(`order_by=last_message_at&limit=1&before=${made[2]!.id}`)).toEqual(['one']);
    await endTurn(server.db, unfinished);
  });

  it('[conversation.own-line] keeps a conversation’s messages out of the agent’s default thread', async () => {
    const agent = await server.anAgent();
    const conversation = await begin(agent.id);

    await converse(conversation, 'only here', 'indeed');
    const here = await server.read(
      messages,
      'GET',
      `/v1/conversations/${conversation.id}/messages?order=asc`,
    );
    const there = await server.read(messages, 'GET', `/v1/agents/${agent.id}/messages`);
    const run = await server.read(runs, 'GET', `/v1/runs/?conversation_id=${conversation.id}`);
    const seen = await server.read(wireConversation, 'GET', `/v1/conversations/${conversation.id}`);

    expect(here.map((message) => message.message_type)).toEqual([
      'system_message',
      'user_message',
      'reasoning_message',
      'assistant_message',
    ]);
    expect(there).toMatchObject([{ message_type: 'system_message' }]);
    expect(there).toHaveLength(1);
    expect(run).toMatchObject([
      { conversation_id: conversation.id, agent_id: agent.id, status: 'completed' },
    ]);
    expect(seen.in_context_message_ids).toHaveLength(4);
    expect(Date.parse(seen.last_message_at ?? '')).toBeGreaterThan(Date.parse(seen.created_at));
  });

  it('[conversation.fork] forks the context, whole or up to a message, without the unfinished turn', async () => {
    const agent = await server.anAgent();
    const source = await begin(agent.id, { summary: 'Roots' });
    await converse(source, 'first', 'one');
    await converse(source, 'second', 'two');
    const path = `/v1/conversations/${source.id}`;
    const all = await server.read(messages, 'GET', `${path}/messages?order=asc`);
    const firstAnswer = all.find((message) => message.message_type === 'assistant_message');
    const running = await open(`${path}/messages`, 'third');
    await beginTurn(server.db, running);
    await say(server.db, running, { body: speech('half said') });

    const whole = await server.read(wireConversation, 'POST', `${path}/fork`);
    const part = await server.read(wireConversation, 'POST', `${path}/fork?message_id=${firstAnswer?.id}`);
    const unknown = await server.call('POST', `${path}/fork?message_id=message-${randomUUID()}`);
    await endTurn(server.db, running);
    await converse(part, 'another way', 'yes');

    const said = async ({ id }: WireConversation): Promise<unknown[]> =>
      (await server.read(messages, 'GET', `/v1/conversations/${id}/messages?order=asc`)).flatMap((message) =>
        message.message_type !== 'system_message' && 'content' in message ? [message.content] : [],
      );
    expect(whole).toMatchObject({ agent_id: agent.id, summary: 'Roots' });
    expect(await said(whole)).toEqual(['first', 'one', 'second', 'two', 'third']);
    expect(await said(part)).toEqual(['first', 'one', 'another way', 'yes']);
    expect(await said(source)).not.toContain('another way');
    expect(unknown).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('in the context of') },
    });
  });

  it('[conversation.default] serves an agent’s default thread as the conversation `default`', async () => {
    const agent = await server.anAgent();
    const body = { agent_id: agent.id, input: 'by the alias', streaming: false };
    void server.call('POST', '/v1/conversations/default/messages', { headers, body });
    let active = await server.read(runs, 'GET', `/v1/runs/?agent_id=${agent.id}`);
    while (active.length === 0) active = await server.read(runs, 'GET', `/v1/runs/?agent_id=${agent.id}`);
    await beginTurn(server.db, active[0]!.id);

    const listed = await server.read(
      messages,
      'GET',
      `/v1/conversations/default/messages?agent_id=${agent.id}`,
    );
    const byId = await server.read(messages, 'GET', `/v1/conversations/${agent.id}/messages`);
    const cancelled = await server.call('POST', `/v1/conversations/default/cancel?agent_id=${agent.id}`);
    const again = await server.call('POST', `/v1/conversations/default/cancel?agent_id=${agent.id}`);
    const nobody = await server.call('GET', '/v1/conversations/default/messages');

    expect(active).toMatchObject([{ conversation_id: null }]);
    expect(listed).toMatchObject([{ message_type: 'system_message' }, { content: 'by the alias' }]);
    expect(byId).toEqual(listed);
    expect(cancelled).toMatchObject({ status: 200, body: { [active[0]!.id]: 'cancelled' } });
    expect(again.status).toBe(409);
    expect(nobody).toMatchObject({ status: 422, body: { detail: expect.stringContaining('agent_id') } });
  });

  it('[conversation.stream] resumes the newest active run, a named run, and the run of an otid', async () => {
    const agent = await server.anAgent();
    const conversation = await begin(agent.id);
    const path = `/v1/conversations/${conversation.id}`;
    const otid = randomUUID();
    const runId = await open(`${path}/messages`, 'stream me', { otid });
    await beginTurn(server.db, runId);
    /** Resolves when the stream has begun. The returned function reads its whole text. */
    const stream = async (body: object): Promise<() => Promise<string>> => {
      const request = { method: 'POST' as const, url: `${path}/stream`, headers, payload: body };
      const answer = await server.app.inject({ ...request, payloadAsStream: true });
      return () => text(answer.stream());
    };

    const active = await stream({});
    await say(server.db, runId, { body: speech('streamed') });
    await endTurn(server.db, runId);
    const streams = [active, await stream({ run_id: runId }), await stream({ otid })];
    const texts = await Promise.all(streams.map((read) => read()));
    const idle = await server.call('POST', `${path}/stream`, { headers, body: {} });
    const foreign = await server.call('POST', `${path}/stream`, {
      headers,
      body: { run_id: `run-${randomUUID()}` },
    });

    for (const said of texts) {
      expect(said).toContain('"content":"streamed"');
      expect(said).toMatch(/data: \[DONE\]\s*$/);
    }
    expect(idle).toMatchObject({ status: 400, body: { detail: expect.stringContaining('No active runs') } });
    expect(foreign.status).toBe(404);
  });

  it('[conversation.delete] deletes a conversation with its messages and cancels its running turn', async () => {
    const agent = await server.anAgent();
    const idle = await begin(agent.id);
    await converse(idle, 'soon gone', 'yes');
    const busy = await begin(agent.id);
    const runId = await open(`/v1/conversations/${busy.id}/messages`, 'still running');

    const deleted = await Promise.all(
      [idle, busy].map(({ id }) => server.call('DELETE', `/v1/conversations/${id}`)),
    );
    const run = await server.read(wireRun, 'GET', `/v1/runs/${runId}`);
    const left = await server.db
      .selectFrom('threads')
      .select('id')
      .where('agent_id', '=', agent.id)
      .execute();
    await purgeDeletedConversations(server.db, new Date(Date.now() + 60_000));
    const purged = await server.db
      .selectFrom('messages')
      .select('id')
      .where('agent_id', '=', agent.id)
      .execute();
    const gone = await server.call('GET', `/v1/conversations/${busy.id}`);
    const again = await server.call('DELETE', `/v1/conversations/${idle.id}`);
    const ofDefault = await server.call('DELETE', `/v1/conversations/${agent.id}`);

    expect(deleted.map(({ status }) => status)).toEqual([200, 200]);
    expect(run.status).toBe('cancelled');
    expect(left.map(({ id }) => id).sort()).toEqual([agent.id, busy.id].sort());
    expect(purged).toEqual([]);
    expect(gone).toMatchObject({ status: 404, body: { detail: expect.stringContaining(busy.id) } });
    expect(again.status).toBe(404);
    expect(ofDefault.status).toBe(422);
  });

  it('[conversation.crud] refuses an unknown agent or model, and isolated blocks', async () => {
    const agent = await server.anAgent();
    const create = (agentId: string, body: object) =>
      server.call('POST', `/v1/conversations/?agent_id=${agentId}`, { headers, body });

    expect(await create(`agent-${randomUUID()}`, {})).toMatchObject({ status: 404 });
    expect(await create(agent.id, { model: 'nobody/model' })).toMatchObject({ status: 404 });
    expect(await create(agent.id, { isolated_block_labels: ['human'] })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('share its blocks') },
    });
  });
});
