import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonSchemaObject } from '../../core/models/model.js';
import { upsertCustomTool } from '../../schema/tools/custom-tools.js';
import { listMessages } from '../../schema/threads/messages.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

describe('a turn with a hostile tool schema', () => {
  const models = createScriptedModels();
  let runtime: TestRuntime;

  beforeAll(async () => {
    runtime = await startRuntime({ models });
    await runtime.startWorker();
  });

  afterAll(async () => {
    await runtime.close();
  });

  const store = async (name: string, parameters: JsonSchemaObject): Promise<void> => {
    await upsertCustomTool(runtime.db, {
      ...{ description: 'Act.', sourceType: 'python', sourceCode: `def ${name}(text):\n    return "ran"` },
      ...{ schema: { name, description: 'Act.', parameters }, argsSchema: null, runtime: { function: name } },
    });
  };

  // Stored directly, because older servers accepted them.
  it.each<[string, JsonSchemaObject, RegExp]>([
    [
      'slow',
      { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
      /could not be checked in time/,
    ],
    [
      'none',
      { type: 'object', properties: { text: { $ref: 'https://elsewhere.example/schema' } } },
      /the schema itself can't be used/,
    ],
  ])(
    'continues, and the model is told what is wrong: %s [tools.hostile-schemas]',
    async (name, parameters, told) => {
      await store(name, parameters);
      const agent = await runtime.anAgent({ toolNames: ['send_message', name] });
      models.script(callOf(name, { text: `${'a'.repeat(60)}b` }), saying('It can’t be done.'));

      const turn = await runtime.tell(agent, 'Act.');
      const [refusal] = await listMessages(runtime.db, { threadId: agent.id, kinds: ['tool'] }, {});

      expect(turn).toMatchObject({ state: 'completed', steps: 2 });
      expect(refusal?.body).toMatchObject({ status: 'error', content: expect.stringMatching(told) });
    },
  );
});
