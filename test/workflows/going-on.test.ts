import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../core/agents.js';
import { WorldFailure } from '../../core/failures.js';
import { getAgentBlock } from '../../schema/agent-blocks.js';
import { listSteps } from '../../schema/steps.js';
import { giveAPast } from '../support/past.js';
import { activitiesOf, fetchHistories } from '../support/histories.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { callOf, createScriptedModels, saying, type ScriptLine } from '../support/scripted-model.js';

const append = (content: string) =>
  callOf('core_memory_append', { label: 'human', content, request_heartbeat: true });

describe('steps that follow each other', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;
  const workers: { stop(): Promise<void> }[] = [];

  beforeAll(async () => {
    runtime = await startRuntime({ models });
  });

  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });

  afterAll(async () => {
    await runtime.close();
  });

  const startWorker = async (goOnForMs: number) => {
    workers.push(await runtime.startWorker({ goOnForMs }));
  };

  const ran = async (agent: Agent) => {
    const [history] = await fetchHistories(runtime.temporal, [agent.id]);
    return activitiesOf(history!);
  };

  it.each([
    { how: 'are one activity while it is young', goOnForMs: 60_000, activities: ['beginTurn'] },
    {
      how: 'are one activity each where it is not',
      goOnForMs: 0,
      activities: ['beginTurn', 'callModel', 'callModel'],
    },
  ])('$how, and leave the same [fold.goes-on]', async ({ goOnForMs, activities }) => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Sid.' }] });
    const asked = models.requests.length;
    models.script(append('Has a boat.'), append('Has a dog.'), saying('Noted.'));
    await startWorker(goOnForMs);

    const turn = await runtime.tell(agent, 'I have a boat and a dog.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 3 });
    expect(await getAgentBlock(runtime.db, agent.id, 'human')).toMatchObject({
      value: 'Sid.\nHas a boat.\nHas a dog.',
      revision: 3,
    });
    expect(models.requests.slice(asked).map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'tool', 'user'],
      ['system', 'user', 'assistant', 'tool', 'user', 'assistant', 'tool', 'user'],
    ]);
    expect(await ran(agent)).toEqual(activities);
  });

  it('are not paid for again where a later one fails [fold.goes-on]', async () => {
    const agent = await runtime.anAgent({ blocks: [{ label: 'human', value: 'Sid.' }] });
    const asked = models.requests.length;
    models.script(
      append('Has a boat.'),
      new WorldFailure('Model.Unavailable', 'The model is down.', { retryable: true }),
      append('Has a dog.'),
      saying('Noted.'),
    );
    await startWorker(60_000);

    const turn = await runtime.tell(agent, 'I have a boat and a dog.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 3 });
    expect(models.requests.length).toBe(asked + 4);
    const steps = await listSteps(runtime.db, { turnId: turn.id }, { order: 'asc' });
    expect(steps.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
    expect(await getAgentBlock(runtime.db, agent.id, 'human')).toMatchObject({ revision: 3 });
    expect(await ran(agent)).toEqual(['beginTurn']);
  });

  it('have the whole time of a model call, also after those of an earlier attempt [fold.goes-on]', async () => {
    const agent = await runtime.anAgent();
    const busy = () =>
      new WorldFailure('Model.RateLimited', 'Later.', { retryable: true, retryAfterMs: 1_600 });
    models.script(
      append('Has a boat.'),
      busy(),
      callOf('conversation_search', { query: 'boat', request_heartbeat: true }),
      append('Has a dog.'),
      busy(),
      saying('Noted.'),
    );
    await startWorker(1_500);

    const turn = await runtime.tell(agent, 'I have a boat and a dog.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 4 });
    expect(await ran(agent)).toEqual(['beginTurn', 'callModel', 'runTool', 'callModel', 'callModel']);
  });

  it('count their bad answers across activities and within one alike [fold.goes-on]', async () => {
    const agent = await runtime.anAgent();
    models.script({ text: 'Hm.' }, { text: 'Hm.' }, { text: 'Hm.' });
    await startWorker(60_000);

    const turn = await runtime.tell(agent, 'Speak.');

    expect(turn).toMatchObject({ state: 'failed', stopReason: 'no_tool_call', steps: 3 });
  });

  it('are handed over at a full context, which is evicted before the next [fold.hands-over]', async () => {
    const agent = await runtime.anAgent({ contextWindow: 30_000 });
    await giveAPast(runtime.db, agent, 12, () => 'We talked of the sea. '.repeat(30));
    const usage = {
      promptTokens: 29_400,
      completionTokens: 50,
      totalTokens: 29_450,
      cachedTokens: 0,
      reasoningTokens: 0,
    };
    const line: ScriptLine = (request) =>
      Promise.resolve(request.tools.length === 0 ? { text: 'The sea.' } : saying('Noted.'));
    models.script({ ...append('Has a boat.'), usage }, line, line, line, line);
    await startWorker(60_000);

    const turn = await runtime.tell(agent, 'I have a boat.');
    models.drop();

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    expect((await ran(agent)).slice(0, 4)).toEqual(['beginTurn', 'callModel', 'evict', 'callModel']);
  });

  it('are handed over with a tool that waits for the world [fold.hands-over]', async () => {
    const agent = await runtime.anAgent();
    models.script(
      append('Has a boat.'),
      callOf('conversation_search', { query: 'boat', request_heartbeat: true }),
      saying('Noted.'),
    );
    await startWorker(60_000);

    const turn = await runtime.tell(agent, 'I have a boat.');

    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 3 });
    expect(await ran(agent)).toEqual(['beginTurn', 'runTool', 'callModel']);
  });
});
