import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getAgentBlock } from '../../schema/agent-blocks.js';
import { listMessages } from '../../schema/messages.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/scripted-model.js';

describe('a turn', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  it('edits memory over heartbeat steps and answers', async () => {
    const agent = await runtime.anAgent();
    models.script(
      callOf('core_memory_replace', {
        thinking: 'They said their name.',
        label: 'human',
        old_content: 'The human has not said their name.',
        new_content: 'The human is called Shilpa.',
        request_heartbeat: true,
      }),
      saying('Nice to meet you, Shilpa.'),
    );

    const turn = await runtime.tell(agent, 'My name is Shilpa.');

    expect(runtime.log).toEqual([]);
    expect(turn).toMatchObject({ state: 'completed', stopReason: 'end_turn', steps: 2 });
    expect((await getAgentBlock(runtime.db, agent.id, 'human')).value).toBe('The human is called Shilpa.');
    const messages = await listMessages(runtime.db, { threadId: agent.id }, {});
    expect(messages.map((message) => message.body.kind)).toEqual([
      'user',
      'assistant',
      'tool',
      'heartbeat',
      'assistant',
      'tool',
    ]);
  });
});
