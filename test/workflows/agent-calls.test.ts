import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { sql } from 'kysely';
import type { Agent } from '../../core/agents/agents.js';
import type { MessageBody } from '../../core/threads/messages.js';
import { inTransaction } from '../../schema/db/database.js';
import { listMessages } from '../../schema/threads/messages.js';
import { lockThread } from '../../schema/threads/threads.js';
import { waitFor } from '../../stack/waiting.js';
import { sweep } from '../../worker/sweep.js';
import { untilSomebodyWaits } from '../support/faults/lock-waiting.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/models/scripted-model.js';

const ask = 'send_message_to_agent_and_wait_for_reply';
const tell = 'send_message_to_agent_async';
const askByTags = 'send_message_to_agents_matching_tags';

describe('an agent that calls agents', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  const anAgent = (input: Parameters<TestRuntime['anAgent']>[0] = {}): Promise<Agent> =>
    runtime.anAgent({
      toolNames: ['send_message', 'core_memory_append', ask, tell, askByTags],
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
      ...input,
    });

  const asking = (to: string, message: string) =>
    callOf(ask, { other_agent_id: to, message, request_heartbeat: true });

  async function resultsOf(agent: Agent, tool = ask): Promise<Extract<MessageBody, { kind: 'tool' }>[]> {
    const messages = await listMessages(runtime.db, { threadId: agent.id, kinds: ['tool'] }, {});
    return messages.flatMap(({ body }) => (body.kind === 'tool' && body.toolName === tool ? [body] : []));
  }

  it('waits for the other’s turn and reads what it said [agents.ask]', async () => {
    const [asker, asked] = [await anAgent(), await anAgent({ name: 'Ben' })];
    models.script(asking(asked.id, 'What is the capital of Norway?'), saying('Oslo'), saying('It is Oslo.'));

    const ended = await runtime.tell(asker, 'Ask Ben about Norway.');
    const [result] = await resultsOf(asker);
    const incoming = await listMessages(runtime.db, { threadId: asked.id, kinds: ['system'] }, {});
    const asleep = async () => !(await runtime.bell.isAwake(asked.id)) || undefined;

    expect(ended).toMatchObject({ state: 'completed', steps: 2 });
    expect(result).toMatchObject({ status: 'success' });
    expect(JSON.parse(result?.content ?? '')).toEqual({ agent_id: asked.id, response: ['Oslo'] });
    expect(incoming).toMatchObject([{ senderId: asker.id, agentId: asked.id }]);
    expect(JSON.stringify(incoming)).toContain(
      `Incoming message from agent with ID '${asker.id}' - your response will be delivered to the sender] What is`,
    );
    expect(await waitFor(asleep, { timeoutMs: 90_000, everyMs: 20 })).toBe(true);
  });

  it('does not hear what the other only thinks [agents.ask]', async () => {
    const [asker, asked] = [await anAgent(), await anAgent()];
    const thinking = {
      ...saying('Oslo'),
      reasoning: 'Norway.',
      text: 'I must not tell that I looked it up.',
    };
    models.script(asking(asked.id, 'What is the capital of Norway?'), thinking, saying('It is Oslo.'));

    await runtime.tell(asker, 'Ask about Norway.');
    const [result] = await resultsOf(asker);

    expect(JSON.parse(result?.content ?? '')).toEqual({ agent_id: asked.id, response: ['Oslo'] });
  });

  it('may ask an agent that asks a third [agents.ask]', async () => {
    const [first, second, third] = [await anAgent(), await anAgent(), await anAgent()];
    models.script(
      asking(second.id, 'one'),
      asking(third.id, 'two'),
      saying('deep'),
      saying('passed on'),
      saying('done'),
    );

    const ended = await runtime.tell(first, 'Begin.');

    expect(ended.state).toBe('completed');
    expect((await resultsOf(second))[0]?.content).toContain('deep');
    expect((await resultsOf(first))[0]?.content).toContain('passed on');
  });

  it('gets a tool error for a call that would close a cycle, and continues [agents.cycle]', async () => {
    const [one, two] = [await anAgent(), await anAgent()];
    models.script(
      asking(two.id, 'Ask me back.'),
      asking(one.id, 'You asked?'),
      saying('You wait for me.'),
      asking(one.id, 'myself'),
      saying('I see.'),
    );

    const ended = await runtime.tell(one, 'Begin.');

    expect(ended).toMatchObject({ state: 'completed', steps: 3 });
    expect(await resultsOf(two)).toMatchObject([
      { status: 'error', content: expect.stringContaining('is waiting for you') },
    ]);
    expect(await resultsOf(one)).toMatchObject([
      { status: 'success', content: expect.stringContaining('You wait for me.') },
      { status: 'error', content: expect.stringContaining('This is you') },
    ]);
  });

  it('does not deadlock with an agent that asks it at the same moment [agents.cycle]', async () => {
    const [one, two] = [await anAgent(), await anAgent()];
    const line: ScriptLine = ({ messages }) => {
      const last = JSON.stringify(messages.slice(-2));
      if (last.includes('Begin with')) return asking(/with (agent-[0-9a-f-]+)/.exec(last)![1]!, 'Hello.');
      return saying('done');
    };
    const asked = models.requests.length;
    models.script(...Array.from({ length: 8 }, () => line));

    const ended = await Promise.all([
      runtime.tell(one, `Begin with ${two.id} now`),
      runtime.tell(two, `Begin with ${one.id} now`),
    ]);
    // Exactly one call closes the cycle. The agent that was asked answers in its own turn.
    const results = [...(await resultsOf(one)), ...(await resultsOf(two))];
    models.drop();

    expect(ended.map((turn) => turn.state)).toEqual(['completed', 'completed']);
    expect(results.map(({ status }) => status).sort()).toEqual(['error', 'success']);
    expect(models.requests.length - asked).toBe(5);
  });

  it('gets a tool error for an unknown agent, and no workflow is started for it [agents.ask-any-end]', async () => {
    const agent = await anAgent();
    const nobody = `agent-${randomUUID()}`;
    models.script(asking(nobody, 'hello?'), saying('Nobody there.'));

    await runtime.tell(agent, 'Ask a ghost.');

    expect(await resultsOf(agent)).toMatchObject([
      { status: 'error', content: `${nobody}: There is no agent with this ID.` },
    ]);
    await expect(runtime.temporal.workflow.getHandle(nobody).describe()).rejects.toMatchObject({
      name: 'WorkflowNotFoundError',
    });
  });

  it('is told that the other’s turn was cancelled [agents.ask-any-end]', async () => {
    const [asker, asked] = [await anAgent(), await anAgent()];
    const asks = models.requests.length;
    const stuck = () => new Promise<never>(() => undefined);
    models.script(asking(asked.id, 'Take your time.'), stuck, saying('It gave up.'));
    const ended = runtime.tell(asker, 'Ask.');
    await waitFor(() => (models.requests.length === asks + 2 ? true : undefined), {
      timeoutMs: 90_000,
      everyMs: 20,
    });
    const turn = await runtime.db
      .selectFrom('turns')
      .select('id')
      .where('agent_id', '=', asked.id)
      .executeTakeFirstOrThrow();

    await runtime.turns.cancel(turn.id);

    expect(await ended).toMatchObject({ state: 'completed' });
    expect(await resultsOf(asker)).toMatchObject([
      { status: 'error', content: expect.stringContaining('ended as cancelled') },
    ]);
  });

  it('ends at once when it is cancelled while waiting, and the other continues [agents.ask-cancel]', async () => {
    const [asker, asked] = [await anAgent(), await anAgent()];
    let answer: ((line: object) => void) | undefined;
    models.script(asking(asked.id, 'Slowly.'), () => new Promise((resolve) => (answer = resolve)));
    const { turn } = await runtime.turns.send({
      threadId: asker.id,
      messages: [{ role: 'user', content: 'Ask.' }],
    });
    await waitFor(() => answer, { timeoutMs: 90_000, everyMs: 20 });

    const cancelled = await runtime.turns.cancel(turn.id);
    answer?.(saying('late'));
    const [other] = await runtime.db
      .selectFrom('turns')
      .select('id')
      .where('agent_id', '=', asked.id)
      .execute();
    const ended = await runtime.turns.result(other!.id);
    const edges = await runtime.db
      .selectFrom('edges')
      .select('state')
      .where('from_turn', '=', turn.id)
      .execute();

    expect(cancelled.state).toBe('cancelled');
    expect(ended.state).toBe('completed');
    expect(edges).toEqual([{ state: 'dropped' }]);
    expect(await resultsOf(asker)).toMatchObject([{ content: expect.stringContaining('was cancelled') }]);
  });

  it('is woken by the sweep if the reply’s signal was lost [agents.lost-reply]', async () => {
    const [asker, asked] = [await anAgent(), await anAgent()];
    const { bell } = runtime;
    const heard = { ...bell };
    const lost: string[] = [];
    Object.assign(bell, {
      reply: ({ threadId }: { threadId: string }) => Promise.resolve(lost.push(threadId)),
    });
    models.script(asking(asked.id, 'Do you hear me?'), saying('I do.'), saying('Heard.'));
    const ended = runtime.tell(asker, 'Ask.');
    await waitFor(() => (lost.length > 0 ? true : undefined), { timeoutMs: 90_000, everyMs: 20 });
    Object.assign(bell, heard);
    await runtime.db
      .updateTable('edges')
      .set({ answered_at: new Date(Date.now() - 60_000) })
      .where('from_thread', '=', asker.id)
      .execute();

    await sweep(runtime);

    expect(await ended).toMatchObject({ state: 'completed' });
    expect(lost).toEqual([asker.id]);
    expect((await resultsOf(asker))[0]?.content).toContain('I do.');
  });

  it('tells another agent something without waiting [agents.tell]', async () => {
    const [sender, receiver] = [await anAgent(), await anAgent()];
    let go: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    const asked = models.requests.length;
    const line: ScriptLine = async ({ messages }) => {
      const all = JSON.stringify(messages);
      if (all.includes('Incoming message')) {
        await held;
        return saying('noted');
      }
      if (all.includes('Successfully sent message')) return saying('told');
      return callOf(tell, { other_agent_id: receiver.id, message: 'It rains.', request_heartbeat: true });
    };
    models.script(line, line, line);

    const ended = await runtime.tell(sender, 'Tell them that it rains.');
    const incoming = await waitFor(
      async () => {
        const found = await listMessages(runtime.db, { threadId: receiver.id, kinds: ['system'] }, {});
        return found.length > 0 ? found : undefined;
      },
      { timeoutMs: 90_000, everyMs: 20 },
    );
    go?.();
    await waitFor(async () => ((await runtime.bell.isAwake(receiver.id)) ? undefined : true), {
      timeoutMs: 90_000,
      everyMs: 50,
    });

    expect(ended.state).toBe('completed');
    expect(await resultsOf(sender, tell)).toMatchObject([
      { status: 'success', content: 'Successfully sent message' },
    ]);
    expect(JSON.stringify(incoming)).toContain('It rains.');
    expect(models.requests.length - asked).toBe(3);
  });

  it('asks all agents with certain tags at once [agents.tags]', async () => {
    const count = 30;
    const tag = `crowd-${randomUUID()}`;
    const asker = await anAgent({ tags: [tag, 'boss'] });
    const crowd = [];
    for (let index = 0; index < count; index += 1) {
      crowd.push(await anAgent({ tags: index % 2 === 0 ? [tag, 'even'] : [tag, 'odd'], blocks: [] }));
    }
    await anAgent({ tags: ['even'] });
    const line: ScriptLine = ({ messages }) => {
      const all = JSON.stringify(messages);
      if (all.includes('Incoming message')) return saying('present');
      if (all.includes('"role":"tool"')) return saying('All are here.');
      const args = { message: 'Who is here?', match_all: [tag], match_some: ['even', 'odd'] };
      return callOf(askByTags, { ...args, request_heartbeat: true });
    };
    models.script(...Array.from({ length: count + 2 }, () => line));

    const ended = await runtime.tell(asker, 'Call the roll.');
    const [result] = await resultsOf(asker, askByTags);

    expect(ended).toMatchObject({ state: 'completed', steps: 2 });
    const replies = JSON.parse(result?.content ?? '[]') as { agent_id: string; response: string[] }[];
    expect(replies.map((one) => one.agent_id).sort()).toEqual(crowd.map((agent) => agent.id).sort());
    expect(replies.every((one) => one.response.join() === 'present')).toBe(true);
  });

  it('waits for the agents asked last even if the first have already answered [agents.tags]', async () => {
    const tag = `crowd-${randomUUID()}`;
    const asker = await anAgent();
    const [first, last] = [await anAgent({ tags: [tag] }), await anAgent({ tags: [tag] })];
    const args = { message: 'Who is here?', match_all: [tag], match_some: [], request_heartbeat: true };
    models.script(callOf(askByTags, args), saying('early'), saying('late'), saying('All are here.'));
    let release: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (release = resolve));

    // The last agent can't be asked while its thread is locked.
    const held = inTransaction(runtime.db, async (tx) => {
      await lockThread(tx, last.id);
      await answered;
    });
    const ended = runtime.tell(asker, 'Ask.');
    const isAnswered = async (): Promise<true | undefined> => {
      const edge = await runtime.db
        .selectFrom('edges')
        .select('state')
        .where('to_agent', '=', first.id)
        .executeTakeFirst();
      return edge?.state === 'answered' && !(await runtime.bell.isAwake(first.id)) ? true : undefined;
    };
    await waitFor(isAnswered, { timeoutMs: 90_000 });
    release();
    await Promise.all([held, ended]);
    const [result] = await resultsOf(asker, askByTags);

    expect(JSON.parse(result?.content ?? '[]')).toEqual([
      { agent_id: first.id, response: ['early'] },
      { agent_id: last.id, response: ['late'] },
    ]);
  });

  it('asks no one without a tag or without a matching agent [agents.tags]', async () => {
    const agent = await anAgent();
    const call = (match_all: string[]) =>
      callOf(askByTags, { message: 'x', match_all, match_some: [], request_heartbeat: true });
    models.script(call([]), call([`nobody-${randomUUID()}`]), saying('alone'));

    await runtime.tell(agent, 'Ask.');

    expect(await resultsOf(agent, askByTags)).toMatchObject([
      { status: 'error', content: expect.stringContaining('at least one tag') },
      { status: 'success', content: 'No other agent has these tags.' },
    ]);
  });
});

describe('an agent that waits too long for another', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models, replyTimeoutMs: 1_500 });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  it('continues at the deadline, and the late answer changes nothing [agents.ask-deadline]', async () => {
    const tools = { toolNames: ['send_message', ask], toolRules: [] };
    const [asker, asked] = [await runtime.anAgent(tools), await runtime.anAgent(tools)];
    let answer: ((line: object) => void) | undefined;
    models.script(
      callOf(ask, { other_agent_id: asked.id, message: 'Hurry.', request_heartbeat: true }),
      () => new Promise((resolve) => (answer = resolve)),
      saying('They are late.'),
    );

    const ended = await runtime.tell(asker, 'Ask.');
    answer?.(saying('late'));
    const [other] = await runtime.db
      .selectFrom('turns')
      .select('id')
      .where('agent_id', '=', asked.id)
      .execute();
    const late = await runtime.turns.result(other!.id);
    const results = await listMessages(runtime.db, { threadId: asker.id, kinds: ['tool'] }, {});

    expect(ended.state).toBe('completed');
    expect(late.state).toBe('completed');
    expect(results[0]?.body).toMatchObject({
      status: 'error',
      content: expect.stringContaining('not answer in time'),
    });
  });
});

describe('an agent’s call to another', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
  });

  afterAll(async () => {
    await runtime.close();
  });

  const tools = { toolNames: ['send_message', ask], toolRules: [] };
  const asking = (to: string) =>
    callOf(ask, { other_agent_id: to, message: 'Hurry.', request_heartbeat: true });
  const edgesOf = (asker: Agent) =>
    runtime.db.selectFrom('edges').select('state').where('from_thread', '=', asker.id).execute();

  it('stops waiting once the tool has failed for good [agents.cycle]', async () => {
    const worker = await runtime.startWorker({
      wrap: (activities) => ({
        ...activities,
        async askAgents(input) {
          await activities.askAgents(input);
          throw ApplicationFailure.nonRetryable('The worker died for as long as the tool had.');
        },
      }),
    });
    const [asker, asked] = [await runtime.anAgent(tools), await runtime.anAgent(tools)];
    let go: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    let meanwhile: unknown;
    const line: ScriptLine = async ({ messages }) => {
      const all = JSON.stringify(messages);
      if (all.includes('Incoming message')) return held.then(() => saying('late'));
      if (!all.includes('"role":"tool"')) return asking(asked.id);
      meanwhile = await edgesOf(asker);
      return saying('They do not hear me.');
    };
    models.script(line, line, line);

    const ended = await runtime.tell(asker, 'Ask.');
    go?.();
    const [other] = await runtime.db
      .selectFrom('turns')
      .select('id')
      .where('agent_id', '=', asked.id)
      .execute();
    await runtime.turns.result(other!.id);
    await worker.stop();

    expect(ended.state).toBe('completed');
    expect(meanwhile).toEqual([{ state: 'dropped' }]);
  });

  it('locks the thread before the turn, as a cancel does [agents.ask-cancel]', async () => {
    let isFree: boolean | undefined;
    const worker = await runtime.startWorker({
      wrap: (activities) => ({
        ...activities,
        async askAgents(input) {
          const { asked } = await inTransaction(runtime.db, async (tx) => {
            await lockThread(tx, input.threadId);
            const running = activities.askAgents(input);
            await untilSomebodyWaits(runtime.db);
            const turn = sql`select id from turns where id = ${input.turnId} for update nowait`;
            // Only the first attempt counts, because a failed one is repeated.
            isFree ??= await turn.execute(tx).then(
              ({ rows }) => rows.length === 1,
              () => false,
            );
            return { asked: running };
          });
          return asked;
        },
      }),
    });
    const [asker, asked] = [await runtime.anAgent(tools), await runtime.anAgent(tools)];
    const line: ScriptLine = ({ messages }) => {
      const all = JSON.stringify(messages);
      if (all.includes('Incoming message')) return saying('Here.');
      return all.includes('"role":"tool"') ? saying('Fine.') : asking(asked.id);
    };
    models.script(line, line, line);

    const ended = await runtime.tell(asker, 'Ask.');
    await worker.stop();

    expect(ended.state).toBe('completed');
    expect(isFree).toBe(true);
    expect(await edgesOf(asker)).toEqual([{ state: 'answered' }]);
  });
});
