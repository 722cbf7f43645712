import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../core/agents/agents.js';
import type { Group, ManagerConfig, ManagerType } from '../../core/groups/groups.js';
import { WorldFailure } from '../../core/failures.js';
import { messageText } from '../../core/threads/messages.js';
import type { ModelRequest } from '../../core/models/model.js';
import { wordsSaid } from '../../core/threads/spoken-words.js';
import { createTalks } from '../../client/talks.js';
import { deleteAgent } from '../../schema/agents/agents.js';
import { createGroup, deleteGroup } from '../../schema/groups/groups.js';
import { listMessages } from '../../schema/threads/messages.js';
import { listTalkTurns } from '../../schema/groups/talk-turns.js';
import type { Talk } from '../../schema/groups/talks.js';
import { waitFor } from '../../stack/waiting.js';
import { sweep } from '../../worker/sweep.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

const broadcast = 'send_message_to_all_agents_in_group';

describe('a group’s talk', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models, replyTimeoutMs: 30_000 });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  const anAgent = (name: string, input: Parameters<TestRuntime['anAgent']>[0] = {}): Promise<Agent> =>
    runtime.anAgent({
      name,
      blocks: [],
      toolNames: ['send_message'],
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
      ...input,
    });

  const aGroup = (
    managerType: ManagerType,
    agents: readonly Agent[],
    more: { readonly manager?: Agent; readonly config?: ManagerConfig } = {},
  ): Promise<Group> =>
    createGroup(runtime.db, {
      managerType,
      managerAgentId: more.manager?.id,
      agentIds: agents.map(({ id }) => id),
      description: 'Plans a picnic.',
      managerConfig: more.config,
    });

  const say = async (group: Group, content: string, requestKey?: string): Promise<Talk> => {
    const { talk } = await runtime.talks.send({
      groupId: group.id,
      messages: [{ role: 'user', content }],
      ...(requestKey === undefined ? {} : { requestKey }),
    });
    return talk;
  };

  const talk = async (group: Group, content: string): Promise<Talk> =>
    runtime.talks.result((await say(group, content)).id);

  const speakers = async ({ id }: Talk): Promise<readonly string[]> =>
    (await listTalkTurns(runtime.db, id)).map(({ agentId }) => agentId);

  /** The transcript as lines of what was heard, with its sender, and what was said. Waits for this many lines. */
  const transcript = async (agent: Agent, count: number): Promise<readonly string[]> => {
    const read = async (): Promise<readonly string[] | undefined> => {
      const messages = await listMessages(runtime.db, { threadId: agent.id }, {});
      const lines = messages.flatMap(({ body }) => {
        if (body.kind === 'user' || body.kind === 'system') return [short(messageText(body))];
        return wordsSaid(body, 'tools').map((words) => `I: ${words}`);
      });
      return lines.length >= count ? lines : undefined;
    };
    return (await waitFor(read, { timeoutMs: 90_000 })) ?? [];
  };

  const short = (text: string): string =>
    text.replace(/^You take part(.|\n)*/, '(introduction)').split(' canary')[0]!;

  const lastOf = ({ messages }: ModelRequest): string => JSON.stringify(messages.at(-1));

  it('lets agents speak in order, each after hearing the others, until the last turn [talk.round] [talk.heard]', async () => {
    const [ann, bob] = [await anAgent('Ann'), await anAgent('Bob')];
    const group = await aGroup('round_robin', [ann, bob], { config: { maxTurns: 3 } });
    models.script(saying('Bread.'), saying('Cheese.'), saying('And wine.'));

    const ended = await talk(group, 'What shall we bring?');
    const heardByBob = await transcript(bob, 5);
    const heardByAnn = await transcript(ann, 5);

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect(await speakers(ended)).toEqual([ann.id, bob.id, ann.id]);
    expect(heardByAnn).toEqual([
      '(introduction)',
      expect.stringContaining('What shall we bring?'),
      'I: Bread.',
      '[‘Bob’ said in the group conversation] Cheese.',
      'I: And wine.',
    ]);
    expect(heardByBob).toEqual([
      '(introduction)',
      expect.stringContaining('What shall we bring?'),
      '[‘Ann’ said in the group conversation] Bread.',
      'I: Cheese.',
      '[‘Ann’ said in the group conversation] And wine.',
    ]);
    expect(JSON.stringify(models.requests.at(-1)?.messages)).toContain('Cheese.');
  });

  it('lets the manager choose the next speaker until the termination token [talk.dynamic]', async () => {
    const [boss, ann, bob] = [await anAgent('Boss'), await anAgent('Ann'), await anAgent('Bob')];
    const config = { maxTurns: 9, terminationToken: 'ENOUGH' };
    const group = await aGroup('dynamic', [ann, bob], { manager: boss, config });
    const asked = models.requests.length;
    models.script(saying('Bob, please.'), saying('Cheese.'), saying('Ann'), saying('Bread. ENOUGH'));

    const ended = await talk(group, 'What shall we bring?');
    const choices = models.requests.slice(asked).filter((_, index) => index % 2 === 0);
    const heardByBob = await transcript(bob, 4);

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect(await speakers(ended)).toEqual([boss.id, bob.id, boss.id, ann.id]);
    expect(lastOf(choices[0]!)).toMatch(/‘Ann’ .*‘Bob’ .*user: What shall we bring/s);
    // The last speaker can't be chosen, and what the manager has heard is not repeated.
    expect(lastOf(choices[1]!)).not.toMatch(/next: .*‘Bob’|What shall we bring/);
    expect(lastOf(choices[1]!)).toContain('Bob: Cheese.');
    expect(heardByBob.at(-1)).toBe('[‘Ann’ said in the group conversation] Bread. ENOUGH');
  });

  it('asks a manager once more after an unclear choice, and then takes the next in order [talk.unclear-choice]', async () => {
    const [boss, ann, bob] = [await anAgent('Boss'), await anAgent('Ann'), await anAgent('Bob')];
    const group = await aGroup('dynamic', [ann, bob], { manager: boss, config: { maxTurns: 2 } });
    const asked = models.requests.length;
    models.script(
      ...[saying('I would bring olives.'), saying('Bob'), saying('Cheese.')],
      ...[saying('Not me.'), saying('Whoever likes.'), saying('Bread.')],
    );

    const ended = await talk(group, 'What shall we bring?');

    expect(await speakers(ended)).toEqual([boss.id, boss.id, bob.id, boss.id, boss.id, ann.id]);
    expect(lastOf(models.requests[asked + 1]!)).toContain('named none of them, or more than one');
  });

  it('gives the supervisor a tool to ask all agents, only for its turn [talk.supervisor]', async () => {
    const [boss, ann, bob] = [await anAgent('Boss'), await anAgent('Ann'), await anAgent('Bob')];
    const group = await aGroup('supervisor', [ann, bob], { manager: boss });
    const asked = models.requests.length;
    const answer = ({ messages }: ModelRequest) => {
      if (JSON.stringify(messages.at(-1)).includes('Incoming message')) return saying('Something.');
      return saying('They bring something.');
    };
    models.script(
      callOf(broadcast, { message: 'What do you bring?' }),
      answer,
      answer,
      answer,
      saying('Yes.'),
    );

    const ended = await talk(group, 'Ask everybody.');
    const results = await listMessages(runtime.db, { threadId: boss.id, kinds: ['tool'] }, {});
    await runtime.tell(boss, 'Was that all?');

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect(await speakers(ended)).toEqual([boss.id]);
    expect(JSON.parse(messageText(results[0]!.body))).toEqual([
      { agent_id: ann.id, response: ['Something.'] },
      { agent_id: bob.id, response: ['Something.'] },
    ]);
    const offered = models.requests.slice(asked).map(({ tools }) => tools.map(({ name }) => name));
    expect(offered[0]).toEqual([broadcast]);
    expect(offered.at(-1)).toEqual(['send_message']);
  });

  it('continues after a failed turn and reports it to the others [talk.failed-speaker]', async () => {
    const [ann, bob] = [await anAgent('Ann'), await anAgent('Bob')];
    const group = await aGroup('round_robin', [ann, bob]);
    models.script(
      new WorldFailure('Model.BadRequest', 'The model refuses.', { retryable: false }),
      saying('Cheese.'),
    );

    const ended = await talk(group, 'What shall we bring?');
    const heard = await transcript(bob, 4);

    expect(ended).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect(heard[2]).toBe(
      '[‘Ann’ did not finish what it had to say: its turn ended as llm_api_error. The group conversation goes on.]',
    );
  });

  it('fails when every turn fails [talk.failed-speaker]', async () => {
    const ann = await anAgent('Ann');
    models.script(new WorldFailure('Model.BadRequest', 'The model refuses.', { retryable: false }));

    const ended = await talk(await aGroup('round_robin', [ann]), 'What shall we bring?');

    expect(ended).toMatchObject({ state: 'failed', stopReason: 'llm_api_error' });
  });

  it('skips an agent that waits for an approval [talk.failed-speaker]', async () => {
    const ann = await anAgent('Ann', { toolRules: [{ kind: 'requires_approval', tool: 'send_message' }] });
    const bob = await anAgent('Bob');
    const group = await aGroup('round_robin', [ann, bob], { config: { maxTurns: 3 } });
    models.script(saying('May I?'), saying('Cheese.'), saying('And olives.'));

    const ended = await talk(group, 'What shall we bring?');

    expect(ended.stopReason).toBe('end_turn');
    expect(await speakers(ended)).toEqual([ann.id, bob.id, bob.id]);
    expect((await transcript(bob, 5))[2]).toContain('waits for an approval');
  });

  it('continues without a deleted agent and ends without its manager [talk.deleted]', async () => {
    const [boss, ann, bob] = [await anAgent('Boss'), await anAgent('Ann'), await anAgent('Bob')];
    const round = await aGroup('round_robin', [ann, bob], { config: { maxTurns: 3 } });
    const led = await aGroup('dynamic', [bob], { manager: boss, config: { maxTurns: 3 } });
    models.script(
      async () => {
        await deleteAgent(runtime.db, ann.id);
        return saying('Bread.');
      },
      saying('Cheese.'),
      saying('And olives.'),
    );

    const ended = await talk(round, 'What shall we bring?');
    models.script(saying('Bob'), async () => {
      await deleteAgent(runtime.db, boss.id);
      return saying('Salt.');
    });
    const abandoned = await talk(led, 'What else?');

    expect(await speakers(ended)).toEqual([ann.id, bob.id, bob.id]);
    expect(abandoned).toMatchObject({ state: 'completed', stopReason: 'end_turn' });
    expect(await speakers(abandoned)).toEqual([boss.id, bob.id]);
  });

  it('ends when its group is deleted [talk.deleted]', async () => {
    const ann = await anAgent('Ann');
    const group = await aGroup('round_robin', [ann], { config: { maxTurns: 3 } });
    models.script(async () => {
      await deleteGroup(runtime.db, group.id);
      return saying('Bread.');
    });

    const { id } = await say(group, 'What shall we bring?');
    await expect(runtime.talks.result(id)).rejects.toMatchObject({ name: 'TalkNotFoundError', talkId: id });

    expect((await transcript(ann, 3)).at(-1)).toBe('I: Bread.');
  });

  it('waits for earlier talks, and for an agent’s turns in other groups [talk.busy]', async () => {
    const [ann, bob] = [await anAgent('Ann'), await anAgent('Bob')];
    const [one, other] = [await aGroup('round_robin', [ann, bob]), await aGroup('round_robin', [bob, ann])];
    const inTurn = ({ messages }: ModelRequest) => {
      const said = JSON.stringify(messages);
      return saying(
        `I heard ${['first', 'second', 'third'].filter((word) => said.includes(word)).join(', ')}.`,
      );
    };
    models.script(...Array.from({ length: 6 }, () => inTurn));

    const sent = [
      await say(one, 'The first.'),
      await say(one, 'The second.'),
      await say(other, 'The third.'),
    ];
    const ended = await Promise.all(sent.map(({ id }) => runtime.talks.result(id)));
    const [first, second] = await Promise.all(ended.map(({ id }) => listTalkTurns(runtime.db, id)));
    const heard = await listMessages(runtime.db, { turnId: first![1]!.turnId, kinds: ['user'] }, {});

    expect(ended.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed']);
    expect(heard).toHaveLength(1);
    const spoken = await transcript(ann, 3);
    expect(spoken.flatMap((line) => /The (first|second)/.exec(line)?.[1] ?? [])).toEqual(['first', 'second']);
    expect(second).toHaveLength(2);
  });

  it('is the same for a repeated idempotency key [talk.repeated]', async () => {
    const group = await aGroup('round_robin', [await anAgent('Ann')]);
    models.script(saying('Bread.'));

    const [first, again] = [await say(group, 'Once.', 'key'), await say(group, 'Once.', 'key')];
    await runtime.talks.result(first.id);

    expect(again.id).toBe(first.id);
  });

  it('is started by the sweep if its bell was lost [talk.lost]', async () => {
    const group = await aGroup('round_robin', [await anAgent('Ann')]);
    models.script(saying('Bread.'));
    const { bell, db } = runtime;
    const deaf = { ...bell, talk: () => Promise.resolve() };
    const talks = createTalks({ db, bell: deaf, listener: runtime.listener, turns: runtime.turns });

    const { talk: lost } = await talks.send({
      groupId: group.id,
      messages: [{ role: 'user', content: 'Hello?' }],
    });
    await db
      .updateTable('talks')
      .set({ touched_at: new Date(0) })
      .where('id', '=', lost.id)
      .execute();
    await sweep(runtime);

    expect(await runtime.talks.result(lost.id)).toMatchObject({ state: 'completed' });
  });

  it('stops at once when it is cancelled [talk.failed-speaker]', async () => {
    const [ann, bob] = [await anAgent('Ann'), await anAgent('Bob')];
    const group = await aGroup('round_robin', [ann, bob]);
    const asked = models.requests.length;
    models.script(() => new Promise(() => undefined));

    const { id } = await say(group, 'What shall we bring?');
    await waitFor(() => (models.requests.length > asked ? true : undefined), { timeoutMs: 90_000 });
    await runtime.talks.cancel(group.id);

    expect(await runtime.talks.result(id)).toMatchObject({ state: 'cancelled', stopReason: 'cancelled' });
    expect(await listMessages(runtime.db, { threadId: bob.id }, {})).toEqual([]);
  });
});
