import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Letta from 'letta-client-1';
import type { ModelMessage } from '../../core/models/model.js';
import { estimateRequest, estimateTokens } from '../../core/threads/tokens.js';
import { noUsage } from '../../core/models/usage.js';
import { wireContextOverview } from '../../server/threads/context-overview-wire.js';
import { waitFor } from '../../stack/waiting.js';
import { type RuntimeServer, startRuntimeServer } from '../server/runtime-app.js';
import { callOf, createScriptedModels, saying } from '../support/models/scripted-model.js';

interface Place extends RuntimeServer {
  readonly client: Letta;
}

const models = createScriptedModels();

/** A database with a worker, a listening server and an official client. */
async function startPlace(): Promise<Place> {
  const server = await startRuntimeServer({ models });
  return { ...server, client: new Letta({ baseURL: server.url, apiKey: 'none', maxRetries: 0 }) };
}

/** The last tool result that a model reads. */
function resultIn(messages: readonly ModelMessage[] = []): unknown {
  return messages.findLast((message) => message.role === 'tool')?.content;
}

describe('an agent that moves', () => {
  let places: readonly [Place, Place];

  beforeAll(async () => {
    places = [await startPlace(), await startPlace()];
  });

  afterAll(async () => {
    for (const { runtime, close } of places) {
      expect(runtime.log).toEqual([]);
      await close();
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

  it('[agentfile.circle] continues elsewhere with everything it knows, and exports to the same file', async () => {
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

  it('[agentfile.ingested] finds the content of its files once they are ingested', async () => {
    const [{ client, runtime }] = places;
    const agent = {
      ...{ id: 'agent-0', name: 'Ada', agent_type: 'memgpt_agent', model: 'perdure/demo' },
      ...{ tool_ids: ['tool-0'], source_ids: ['source-0'] },
    };
    const tool = { id: 'tool-0', name: 'archival_memory_search', tool_type: 'letta_core' };
    const file = { id: 'file-0', source_id: 'source-0', file_name: 'bees.txt', file_type: 'text/plain' };
    const content = 'The hives stand behind the mill.\n\nHoney is taken in August.';
    const agentFile = {
      ...{ agents: [agent], tools: [tool], groups: [], blocks: [], mcp_servers: [] },
      ...{ sources: [{ id: 'source-0', name: 'bees' }], files: [{ ...file, content }] },
    };

    const made = await client.agents.importFile({ file: new File([JSON.stringify(agentFile)], 'ada.af') });
    const [id = ''] = made.agent_ids;
    const read = await waitFor(
      async () => {
        const rows = await runtime.db.selectFrom('files').select('state').execute();
        return rows.every(({ state }) => state === 'completed') ? rows : undefined;
      },
      { timeoutMs: 30_000, everyMs: 50 },
    );
    models.script(
      callOf('archival_memory_search', { query: 'When is honey taken?', request_heartbeat: true }),
      { text: 'In August.' },
    );
    await tell(places[0], id, 'When is honey taken?');

    expect(read).toHaveLength(1);
    expect(resultIn(models.requests.at(-1)?.messages)).toContain('Honey is taken in August.');
    expect(resultIn(models.requests.at(-1)?.messages)).toContain('bees.txt');
  });

  it('[context.overview] shows its context, sized by the usage of the last call', async () => {
    const [{ client }] = places;
    const { id } = await client.agents.create({
      ...{ name: 'Ada', agent_type: 'memgpt_agent', model: 'perdure/demo', context_window_limit: 9_000 },
      memory_blocks: [{ label: 'human', value: 'Unknown.' }],
    });
    const overview = async () => wireContextOverview.parse(await client.get(`/v1/agents/${id}/context`));
    const fresh = await overview();
    const prompt = await client.agents.recompile(id, { dry_run: true });
    models.script({
      ...saying('Hello.'),
      usage: { ...noUsage, promptTokens: 700, completionTokens: 50, totalTokens: 750 },
    });
    await tell(places[0], id, 'Good morning.');
    const told = await overview();
    const { messages, tools } = models.requests.at(-1) ?? { messages: [], tools: [] };

    expect(fresh).toMatchObject({ context_window_size_max: 9_000, num_messages: 0, num_recall_memory: 0 });
    // The compile time in the prompt can have words of different length.
    const size = estimateRequest([{ role: 'system', content: prompt }], tools);
    expect(Math.abs(fresh.context_window_size_current - size)).toBeLessThan(10);
    expect(told.num_messages).toBe(told.messages.length);
    expect(told.messages.map((message) => message['role'])).toEqual(['user', 'assistant', 'tool']);
    expect(JSON.stringify(messages[0])).toContain(JSON.stringify(told.core_memory).slice(1, -1));
    expect(told.functions_definitions.map((one) => one['function'])).toEqual(tools);
    const result = told.messages.at(-1)?.['content'] as [{ text: string }];
    expect(told.context_window_size_current).toBe(750 + estimateTokens(result[0].text));
  });

  it('[context.recompile] starts a new epoch on recompile, in a conversation and in its default thread', async () => {
    const [place] = places;
    const { client } = place;
    const { id } = await client.agents.create({
      name: 'Ada',
      agent_type: 'memgpt_agent',
      model: 'perdure/demo',
    });
    const conversation = await client.conversations.create({ agent_id: id });
    const epochs = async () =>
      (await place.runtime.db.selectFrom('epochs').select('thread_id').execute())
        .map((row) => row.thread_id)
        .filter((thread) => [id, conversation.id].includes(thread))
        .sort();
    models.script(saying('One.'), saying('Two.'), saying('Three.'));

    await tell(place, id, 'One?');
    expect(await client.agents.recompile(id, { dry_run: true })).toMatch(/^[^"][^]*<memory_metadata>/);
    await tell(place, id, 'Two?');
    expect(await epochs()).toEqual([id]);
    await client.agents.recompile(id);
    expect(await client.conversations.recompile(conversation.id)).toContain(conversation.id);
    await tell(place, id, 'Three?');
    expect(await epochs()).toEqual([id, id]);
  });
});
