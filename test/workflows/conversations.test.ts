import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConversation } from '../../schema/threads/conversations.js';
import type { ModelRequest } from '../../core/models/model.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

describe('conversations of one agent', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  const tellIn = async (threadId: string, content: string) => {
    const { turn } = await runtime.turns.send({ threadId, messages: [{ role: 'user', content }] });
    return runtime.turns.result(turn.id);
  };

  it('run in parallel, each with its own messages [conversation.own-line]', async () => {
    const agent = await runtime.anAgent();
    const [one, two] = [
      await createConversation(runtime.db, agent.id, {}),
      await createConversation(runtime.db, agent.id, {}),
    ];
    const asked = models.requests.length;
    // Each answer waits for both requests: run one after the other, neither would ever be answered.
    let arrive: (() => void) | undefined;
    const both = new Promise<void>((resolve) => (arrive = resolve));
    const meeting = async () => {
      if (models.requests.length === asked + 2) arrive?.();
      await both;
      return saying('here');
    };
    models.script(meeting, meeting);

    const ended = await Promise.all([tellIn(one.id, 'about boats'), tellIn(two.id, 'about goats')]);

    expect(ended.map((turn) => [turn.state, turn.threadId])).toEqual([
      ['completed', one.id],
      ['completed', two.id],
    ]);
    const seen = models.requests.slice(asked).map((request) => text(request).match(/about (boats|goats)/g));
    expect(seen.map((found) => found?.length)).toEqual([1, 1]);
  });

  it('share memory: an edit in one is reported in the other, and recall spans both [conversation.shared-memory]', async () => {
    const agent = await runtime.anAgent();
    const other = await createConversation(runtime.db, agent.id, {});
    models.script(saying('hello'));
    await tellIn(other.id, 'The password of the boat is herring.');
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'They keep goats.', request_heartbeat: true }),
      callOf('conversation_search', { query: 'password of the boat', request_heartbeat: true }),
      saying('noted'),
    );
    await tellIn(agent.id, 'Remember that I keep goats.');
    const found = models.requests.at(-1);
    models.script(saying('yes'));
    await tellIn(other.id, 'What do I keep?');
    const told = models.requests.at(-1);

    expect(text(found)).toContain('herring');
    expect(text(told)).toContain('was changed by');
    expect(text(told)).toContain('They keep goats.');
    expect(text(told)).not.toContain('Remember that I keep goats.');
  });

  it('may have their own model [conversation.own-model]', async () => {
    const agent = await runtime.anAgent({ modelSettings: { temperature: 0.1, maxOutputTokens: 100 } });
    const conversation = await createConversation(runtime.db, agent.id, {
      model: 'scripted/other',
      modelSettings: { temperature: 0.9 },
      contextWindow: 50_000,
    });
    models.script(saying('as another'), saying('as myself'));

    const there = await tellIn(conversation.id, 'who are you?');
    const settings = models.requests.at(-1)?.settings;
    const here = await tellIn(agent.id, 'and you?');

    const steps = await runtime.db
      .selectFrom('steps')
      .select(['turn_id', 'model', 'context_window'])
      .where('agent_id', '=', agent.id)
      .execute();
    expect(steps).toEqual(
      expect.arrayContaining([
        { turn_id: there.id, model: 'scripted/other', context_window: 50_000 },
        { turn_id: here.id, model: 'scripted/model', context_window: 100_000 },
      ]),
    );
    expect(settings).toEqual({ temperature: 0.9, maxOutputTokens: 100 });
  });
});

function text(request: ModelRequest | undefined): string {
  return JSON.stringify(request?.messages);
}
