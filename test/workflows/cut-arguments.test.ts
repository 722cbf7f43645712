import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listAgentBlocks } from '../../schema/blocks/agent-blocks.js';
import { listMessages } from '../../schema/threads/messages.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

describe('an answer that ends at its token limit', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  const human = 'Name: Ann. Allergic to nuts. Lives in Bergen.';
  const anAgent = () =>
    runtime.anAgent({
      toolNames: ['send_message', 'memory_rethink'],
      blocks: [{ label: 'human', value: human }],
      toolRules: [{ kind: 'exit_loop', tool: 'send_message' }],
    });

  it.each(['length', 'tool_calls', 'stop'] as const)(
    'erases no memory and gives another step, even with finish reason %s [turn.cut-arguments]',
    async (finishReason) => {
      const agent = await anAgent();
      const cut = '{"label": "human", "new_memory": "Name: Ann. Aller';
      models.script({ ...callOf('memory_rethink', cut), finishReason }, saying('I wrote too much.'));

      const turn = await runtime.tell(agent, 'I moved to Oslo.');
      const [block] = await listAgentBlocks(runtime.db, agent.id);
      const results = await listMessages(runtime.db, { threadId: agent.id, kinds: ['tool'] }, {});
      const seen = models.requests.at(-1)?.messages.find(({ role }) => role === 'assistant');

      expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
      expect(block?.value).toBe(human);
      expect(results[0]?.body).toMatchObject({
        status: 'error',
        content: expect.stringContaining('were cut off after 50 characters, so it was not run'),
      });
      expect(seen).toMatchObject({ toolCalls: [{ arguments: JSON.stringify({ invalid_arguments: cut }) }] });
    },
  );

  it('delivers no half message [turn.cut-arguments]', async () => {
    const agent = await anAgent();
    const half = {
      ...callOf('send_message', '{"message": "Take two pills, but nev'),
      finishReason: 'length' as const,
    };
    models.script(half, saying('Never take two.'));

    const turn = await runtime.tell(agent, 'How many?');
    const calls = await listMessages(runtime.db, { threadId: agent.id, kinds: ['tool'] }, {});

    expect(turn).toMatchObject({ stopReason: 'end_turn', steps: 2 });
    expect(calls.map(({ body }) => body)).toMatchObject([{ status: 'error' }, { status: 'success' }]);
  });

  it('ends the turn with a stop reason after three cut answers [turn.cut-arguments]', async () => {
    const agent = await anAgent();
    const half = { ...callOf('send_message', '{"message": "Once'), finishReason: 'length' as const };
    models.script(half, half, half);

    expect(await runtime.tell(agent, 'Tell me all.')).toMatchObject({
      stopReason: 'max_tokens_exceeded',
      steps: 3,
    });
  });
});
