import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../core/agents/agents.js';
import { WorldFailure } from '../../../core/failures.js';
import type { Group, ManagerType } from '../../../core/groups/groups.js';
import { noUsage } from '../../../core/models/usage.js';
import { createGroup } from '../../../schema/groups/groups.js';
import { listMessages } from '../../../schema/threads/messages.js';
import type { App } from '../../../server/deps.js';
import type { WireMessage } from '../../../server/threads/message-shapes-wire.js';
import type { LettaResponse } from '../../../server/turns/letta-response-wire.js';
import type { TestRuntime } from '../../support/runtime/runtime.js';
import {
  callOf,
  createScriptedModels,
  saying,
  type ScriptLine,
} from '../../support/models/scripted-model.js';
import { startRuntimeServer } from '../runtime-app.js';
import { fernHeaders } from '../test-server.js';

describe('messages of groups over REST', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  let app: App;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ runtime, app, close } = await startRuntimeServer({ models }));
  });

  afterAll(async () => {
    await close();
  });

  const anAgent = (name: string): Promise<Agent> =>
    runtime.anAgent({
      name,
      blocks: [],
      toolNames: ['send_message', 'core_memory_append'],
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
    });

  const aGroup = (managerType: ManagerType, agents: readonly Agent[], manager?: Agent): Promise<Group> =>
    createGroup(runtime.db, {
      managerType,
      managerAgentId: manager?.id,
      agentIds: agents.map(({ id }) => id),
      description: 'Plans a picnic.',
    });

  const call = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object, headers = {}) => {
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: answer.statusCode, text: answer.body };
  };

  const read = async <Body>(...request: Parameters<typeof call>): Promise<Body> => {
    const { status, text } = await call(...request);
    if (status !== 200) throw new Error(`${request[1]} answered ${status}: ${text}`);
    return JSON.parse(text) as Body;
  };

  const say = (text: string) => ({ messages: [{ role: 'user', content: text }] });
  const costing = (
    line: { toolCalls: ReturnType<typeof saying>['toolCalls'] },
    tokens: number,
  ): ScriptLine => ({
    ...line,
    usage: { ...noUsage, promptTokens: tokens, totalTokens: tokens },
  });
  const spoken = (messages: readonly WireMessage[]) =>
    messages.flatMap((one) =>
      one.message_type === 'assistant_message' ? [[one.name, one.sender_id, one.content]] : [],
    );

  it('returns what each agent said, its name and the total usage [talk.wire]', async () => {
    const [ann, bob] = [await anAgent('Ann'), await anAgent('Bob')];
    const group = await aGroup('round_robin', [ann, bob]);
    models.script(costing(saying('Bread.'), 10), costing(saying('Cheese.'), 5));

    const answer = await read<LettaResponse>('POST', `/v1/groups/${group.id}/messages`, say('What?'));

    expect(spoken(answer.messages)).toEqual([
      ['Ann', ann.id, 'Bread.'],
      ['Bob', bob.id, 'Cheese.'],
    ]);
    expect(answer.stop_reason.stop_reason).toBe('end_turn');
    expect(answer.usage).toMatchObject({ prompt_tokens: 15, total_tokens: 15, step_count: 2 });
    expect(answer.usage.run_ids).toEqual([...new Set(answer.messages.map((one) => one.run_id))]);
  });

  it('counts the usage of agents that a supervisor asked [talk.wire]', async () => {
    const [boss, ann] = [await anAgent('Boss'), await anAgent('Ann')];
    const group = await aGroup('supervisor', [ann], boss);
    models.script(
      costing(callOf('send_message_to_all_agents_in_group', { message: 'What?' }), 1),
      costing(saying('Bread.'), 10),
      costing(saying('Ann brings bread.'), 2),
    );

    const answer = await read<LettaResponse>('POST', `/v1/groups/${group.id}/messages`, say('Ask.'));

    expect(spoken(answer.messages)).toEqual([['Boss', boss.id, 'Ann brings bread.']]);
    expect(answer.usage).toMatchObject({ total_tokens: 13, step_count: 3 });
  });

  it('streams one turn after another with a single end [talk.wire]', async () => {
    const [ann, bob] = [await anAgent('Ann'), await anAgent('Bob')];
    const group = await aGroup('round_robin', [ann, bob]);
    const refused = new WorldFailure('Model.BadRequest', 'The model refuses.', { retryable: false });
    models.script(costing(saying('Bread.'), 10), refused, saying('Salt.'), saying('Pepper.'));
    const stream = `/v1/groups/${group.id}/messages/stream`;

    const { status, text } = await call('POST', stream, say('What?'));
    const older = await call('POST', stream, say('What else?'), fernHeaders);
    const lines = text.split('\n').filter((line) => line.startsWith('data: '));
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);

    expect(status).toBe(200);
    expect(lines.at(-1)).toBe('data: [DONE]');
    expect(chunks.map((chunk) => [chunk['message_type'], chunk['name']])).toEqual([
      ['reasoning_message', 'Ann'],
      ['assistant_message', 'Ann'],
      ['system_message', null],
      ['stop_reason', undefined],
      ['usage_statistics', undefined],
    ]);
    expect(chunks[1]).toMatchObject({ content: 'Bread.', sender_id: ann.id });
    expect(chunks[2]?.['content']).toContain('‘Bob’ did not finish what it had to say');
    expect(chunks[3]).toMatchObject({ stop_reason: 'end_turn' });
    expect(chunks[4]).toMatchObject({ total_tokens: 10 });
    // The group stream of older clients has no such chunk.
    expect(older.text).toMatch(/Salt.*Pepper.*usage_statistics/s);
    expect(older.text).not.toContain('stop_reason');
  });

  it('lists each message once, by page, and changes a message by id [talk.list]', async () => {
    const [ann, bob] = [await anAgent('Ann'), await anAgent('Bob')];
    const group = await aGroup('round_robin', [ann, bob]);
    const messages = `/v1/groups/${group.id}/messages`;
    models.script(saying('Bread.'), saying('Cheese.'));
    await read('POST', messages, say('What?'));

    const all = await read<WireMessage[]>('GET', `${messages}?order=asc`);
    const page = await read<WireMessage[]>('GET', `${messages}?order=asc&limit=1&after=${all[0]!.id}`);
    const changed = await read<WireMessage>('PATCH', `${messages}/${all.at(-1)!.id}`, {
      message_type: 'assistant_message',
      content: 'Olives.',
    });
    const foreign = await call('PATCH', `/v1/groups/${group.id}/messages/message-${group.id.slice(6)}`, {
      message_type: 'assistant_message',
      content: 'Olives.',
    });

    expect(all.map((one) => [one.message_type, one.name])).toEqual([
      ['user_message', null],
      ['reasoning_message', 'Ann'],
      ['assistant_message', 'Ann'],
      ['reasoning_message', 'Bob'],
      ['assistant_message', 'Bob'],
    ]);
    expect(page.map(({ id }) => id)).toEqual([all[1]!.id, all[2]!.id]);
    expect(changed).toMatchObject({ message_type: 'assistant_message', content: 'Olives.' });
    expect(foreign.status).toBe(404);
  });

  it('changes a message for every agent that heard it, and no other with the same words [talk.edit]', async () => {
    const [ann, bob, cid] = [await anAgent('Ann'), await anAgent('Bob'), await anAgent('Cid')];
    const group = await aGroup('round_robin', [ann, bob, cid]);
    const messages = `/v1/groups/${group.id}/messages`;
    models.script(saying('Aye.'), saying('Aye.'), saying('No.'));
    const asked = [...say('What?').messages, ...say('What?').messages];
    await read('POST', messages, { messages: asked });
    const all = await read<WireMessage[]>('GET', `${messages}?order=asc`);
    const bobs = all.find((one) => one.name === 'Bob' && one.message_type === 'assistant_message');

    await read('PATCH', `${messages}/${bobs!.id}`, { message_type: 'assistant_message', content: 'Nay.' });
    await read('PATCH', `${messages}/${all[1]!.id}`, { message_type: 'user_message', content: 'Who?' });

    const wordsOf = async (agent: Agent): Promise<string[]> =>
      (await read<WireMessage[]>('GET', `/v1/agents/${agent.id}/messages?order=asc&group_id=${group.id}`))
        .flatMap((one) => ('content' in one && typeof one.content === 'string' ? [one.content] : []))
        .filter((text) => !text.startsWith('You take part'));
    const asAsked = expect.stringMatching(/^What\?/);
    const of = (name: string, text: string) => `[‘${name}’ said in the group conversation] ${text}`;
    expect(await wordsOf(ann)).toEqual([asAsked, 'Who?', 'Aye.', of('Bob', 'Nay.'), of('Cid', 'No.')]);
    expect(await wordsOf(bob)).toEqual([asAsked, 'Who?', of('Ann', 'Aye.'), 'Nay.', of('Cid', 'No.')]);
    expect(await wordsOf(cid)).toEqual([asAsked, 'Who?', of('Ann', 'Aye.'), of('Bob', 'Nay.'), 'No.']);
  });

  it('deletes what was said in the group and nothing else [talk.list] [wire.fields]', async () => {
    const [ann, bob] = [await anAgent('Ann'), await anAgent('Bob')];
    const [group, other] = [await aGroup('round_robin', [ann, bob]), await aGroup('round_robin', [ann])];
    models.script(saying('Hello.'), saying('Bread.'), saying('Cheese.'), saying('Salt.'));
    await runtime.tell(ann, 'Good morning.');
    await read('POST', `/v1/groups/${group.id}/messages`, say('What?'));
    await read('POST', `/v1/groups/${other.id}/messages`, say('What else?'));
    const ofGroup = (id: string) =>
      read<WireMessage[]>('GET', `/v1/agents/${ann.id}/messages?order=asc&group_id=${id}`);
    const [heard, elsewhere] = [await ofGroup(group.id), await ofGroup(other.id)];

    await call('PATCH', `/v1/groups/${group.id}/reset-messages`);
    const left = await listMessages(runtime.db, { threadId: ann.id }, {});

    expect(await read('GET', `/v1/groups/${group.id}/messages`)).toEqual([]);
    expect(await listMessages(runtime.db, { threadId: bob.id }, {})).toEqual([]);
    expect(JSON.stringify(left)).toMatch(/Good morning.*Hello.*What else.*Salt/);
    expect(JSON.stringify(left)).not.toMatch(/Bread|Cheese/);
    expect(JSON.stringify(heard)).toMatch(/What\?.*Bread.*Cheese/);
    expect(JSON.stringify(heard)).not.toMatch(/Good morning|Salt/);
    expect(JSON.stringify(elsewhere)).toMatch(/What else.*Salt/);
    expect(JSON.stringify(elsewhere)).not.toMatch(/Good morning|Bread/);
    expect(await ofGroup(group.id)).toEqual([]);
    expect(await read('GET', `/v1/groups/${other.id}/messages?order=asc`)).toHaveLength(3);
    // No other table keeps the deleted words.
    const talks = await runtime.db.selectFrom('talks').selectAll().where('group_id', '=', group.id).execute();
    const turns = await runtime.db
      .selectFrom('talk_turns')
      .selectAll()
      .where('talk_id', '=', talks[0]!.id)
      .orderBy('ordinal')
      .execute();
    expect(turns.map(({ role }) => role)).toEqual(['speaking', 'speaking', 'hearing']);
    expect(JSON.stringify([talks, turns])).not.toMatch(/What\?|Bread|Cheese/);
  });

  it.each([
    ['an unknown group', `group-00000000-0000-4000-8000-000000000000`, say('Hi.'), 404, /not found/],
    [
      'decisions about tool calls',
      undefined,
      { messages: [{ type: 'approval', approve: true, approval_request_id: 'x' }] },
      422,
      /to the agent that made them/,
    ],
  ])('refuses %s [talk.wire]', async (_what, groupId, body, status, sentence) => {
    const group = groupId ?? (await aGroup('round_robin', [await anAgent('Ann')])).id;

    const answer = await call('POST', `/v1/groups/${group}/messages`, body);

    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(sentence);
  });

  it('refuses a group without agents and says what to do [talk.wire]', async () => {
    const group = await aGroup('round_robin', []);

    const answer = await call('POST', `/v1/groups/${group.id}/messages`, say('Hi.'));

    expect(answer.status).toBe(422);
    expect(answer.text).toContain('Set its agent_ids');
  });
});
