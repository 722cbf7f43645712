import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Letta from 'letta-client-1';
import type { ModelMessage } from '../../core/model.js';
import type { App } from '../../server/deps.js';
import { createRuntimeApp } from '../server/runtime-app.js';
import { startRuntime, type TestRuntime } from '../support/runtime.js';
import { callOf, createScriptedModels, saying } from '../support/scripted-model.js';

interface Place {
  readonly runtime: TestRuntime;
  readonly app: App;
  readonly client: Letta;
}

const models = createScriptedModels();

/** A database of its own with a worker and a server that listens, and the official client of it. */
async function startPlace(): Promise<Place> {
  const runtime = await startRuntime({ models });
  await runtime.startWorker();
  const app = createRuntimeApp(runtime);
  const baseURL = await app.listen({ host: '127.0.0.1', port: 0 });
  return { runtime, app, client: new Letta({ baseURL, apiKey: 'none', maxRetries: 0 }) };
}

/** The last result that a model reads. */
function resultIn(messages: readonly ModelMessage[] = []): unknown {
  return messages.findLast((message) => message.role === 'tool')?.content;
}

describe('an agent that moves', () => {
  let places: readonly [Place, Place];

  beforeAll(async () => {
    places = [await startPlace(), await startPlace()];
  });

  afterAll(async () => {
    for (const { runtime, app } of places) {
      expect(runtime.log).toEqual([]);
      await app.close();
      await runtime.close();
    }
  });

  async function tell({ client }: Place, agentId: string, content: string): Promise<string[]> {
    const { messages } = await client.agents.messages.create(agentId, {
      messages: [{ role: 'user', content }],
    });
    return messages.flatMap((message) =>
      message.message_type === 'assistant_message' && typeof message.content === 'string'
        ? [message.content]
        : [],
    );
  }

  it('[agentfile.circle] goes on elsewhere with all it knows, and is the same file again', async () => {
    const [here, there] = places;
    const { id } = await here.client.agents.create({
      name: 'Ada',
      agent_type: 'memgpt_agent',
      model: 'perdure/demo',
      tools: ['archival_memory_insert', 'archival_memory_search'],
      memory_blocks: [{ label: 'human', value: 'Unknown.' }],
    });
    models.script(
      callOf('core_memory_append', { label: 'human', content: 'Is called Bob.', request_heartbeat: true }),
      callOf('archival_memory_insert', { content: 'Bob sails a red boat.', request_heartbeat: true }),
      saying('Hello Bob.'),
    );
    await tell(here, id, 'I am Bob, and my boat is red.');
    const file = JSON.stringify(await here.client.agents.exportFile(id));

    const made = await there.client.agents.importFile({
      file: new File([file], 'ada.af'),
      name: 'Ada',
    });
    const [copy = ''] = made.agent_ids;
    const again: unknown = await there.client.agents.exportFile(copy);
    models.script(
      callOf('conversation_search', { query: 'boat', request_heartbeat: true }),
      callOf('archival_memory_search', { query: 'red boat', request_heartbeat: true }),
      saying('You sail a red boat.'),
    );
    const said = await tell(there, copy, 'What do I sail?');

    const apart = (of: unknown) => ({ ...(of as object), created_at: '' });
    expect(apart(again)).toEqual(apart(JSON.parse(file)));
    expect(said).toEqual(['You sail a red boat.']);
    const [asked, searched, recalled] = models.requests.slice(-3).map(({ messages }) => messages);
    expect(JSON.stringify(asked)).toMatch(
      /Is called Bob\..*I am Bob, and my boat is red\..*Hello Bob\..*What do I sail\?/s,
    );
    expect(resultIn(searched)).toContain('my boat is red');
    expect(resultIn(recalled)).toContain('Bob sails a red boat.');
    const passages = await there.client.agents.passages.search(copy, { query: 'sailing vessel' });
    expect(passages.results.map((one) => one.content)).toEqual(['Bob sails a red boat.']);
  });
});
