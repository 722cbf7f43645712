import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wireAgent } from '../../../server/agents/agents-wire.js';
import { wireBlock } from '../../../server/blocks/blocks-wire.js';
import { wireRun } from '../../../server/turns/runs-wire.js';
import { fernHeaders, stainlessHeaders, startTestServer, type TestServer } from '../test-server.js';

/** What Letta's own client tests expect of the archived Letta server. */
describe('a server for Letta’s programs', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ providers: { openai: { apiKey: 'none' } } });
  });

  afterAll(() => server.close());

  it.each([
    ['1.x', stainlessHeaders, 100_000],
    ['0.1.x', fernHeaders, 20_000],
  ])('[wire.defaults] gives a block the default limit of a %s client', async (_name, headers, limit) => {
    const body = { label: 'notes', value: '' };

    expect(await server.read(wireBlock, 'POST', '/v1/blocks', { body, headers })).toMatchObject({ limit });
  });

  it('[wire.defaults] answers 422 to a value over a block’s limit', async () => {
    const { id } = await server.read(wireBlock, 'POST', '/v1/blocks', {
      body: { label: 'notes', value: '' },
    });

    expect(
      await server.call('PATCH', `/v1/blocks/${id}`, { body: { value: 'testing testing', limit: 10 } }),
    ).toMatchObject({ status: 422 });
  });

  it('[wire.defaults] shows the provider’s default model settings, and each tool rule once', async () => {
    const rule = { type: 'exit_loop', tool_name: 'send_message' };
    const agent = await server.anAgent({
      model: 'openai/gpt-4o-mini',
      include_base_tools: false,
      tool_rules: [rule, rule, rule],
    });
    const more = [1, 1, 2].map((limit) => ({
      ...{ type: 'max_count_per_step', tool_name: 'roll', max_count_limit: limit },
    }));
    const changed = await server.read(wireAgent, 'PATCH', `/v1/agents/${agent.id}`, {
      body: { tool_rules: more },
    });

    expect(agent).toMatchObject({
      model_settings: {
        provider_type: 'openai',
        max_output_tokens: 16_384,
        parallel_tool_calls: true,
        strict: false,
        temperature: 1,
        reasoning: { reasoning_effort: 'minimal' },
        response_format: null,
      },
      max_files_open: 10,
      per_file_view_window_char_limit: 25_000,
    });
    expect(agent.tool_rules).toHaveLength(1);
    expect(changed.tool_rules).toHaveLength(2);
  });

  it('[wire.preview] previews the request to the model and stores nothing', async () => {
    const agent = await server.anAgent({ memory_blocks: [{ label: 'human', value: 'Ann' }] });
    const body = { messages: [{ role: 'user', content: 'Testing' }] };
    const shown = await server.call('POST', `/v1/agents/${agent.id}/messages/preview-raw-payload`, { body });

    expect(shown).toMatchObject({
      status: 200,
      body: {
        messages: [
          { role: 'system', content: expect.stringContaining('Ann') },
          { role: 'user', content: expect.stringContaining('Testing') },
        ],
        tools: expect.any(Array),
        tool_choice: 'required',
      },
    });
    expect(await server.call('GET', `/v1/agents/${agent.id}/messages`)).toMatchObject({
      body: [{ message_type: 'system_message' }],
    });
  });

  it('[wire.preview] returns a recompiled prompt as JSON', async () => {
    const agent = await server.anAgent();
    const answer = await server.call('POST', `/v1/agents/${agent.id}/recompile`, { body: {} });

    expect(answer).toMatchObject({
      body: expect.stringContaining(agent.id),
      headers: { 'content-type': expect.stringContaining('application/json') },
    });
  });

  it('[wire.defaults] refuses to compact an empty context', async () => {
    const agent = await server.anAgent();

    expect(await server.call('POST', `/v1/agents/${agent.id}/summarize`)).toMatchObject({ status: 400 });
  });

  it('[wire.defaults] shows the default rendering options of a run', async () => {
    const agent = await server.anAgent();
    const body = { messages: [{ role: 'user', content: 'Hi' }] };
    const run = await server.read(wireRun, 'POST', `/v1/agents/${agent.id}/messages/async`, { body });

    expect(run.request_config).toMatchObject({
      use_assistant_message: true,
      assistant_message_tool_name: 'send_message',
      assistant_message_tool_kwarg: 'message',
      include_return_message_types: null,
    });
  });

  it('[sleep.shared-blocks] attaches a later block to the partner too, and detaches it again', async () => {
    const agent = await server.anAgent({ enable_sleeptime: true });
    const label = `notes-${randomUUID()}`;
    const block = await server.read(wireBlock, 'POST', '/v1/blocks', { body: { label, value: 'Tea' } });
    const [partner] = agent.multi_agent_group!.agent_ids;
    const url = `/v1/agents/${agent.id}/core-memory/blocks`;
    const labels = async () =>
      (await server.read(wireAgent, 'GET', `/v1/agents/${partner!}`)).blocks.map((one) => one.label);

    await server.call('PATCH', `${url}/attach/${block.id}`);
    expect(await labels()).toContain(label);
    await server.call('PATCH', `${url}/detach/${block.id}`);
    expect(await labels()).not.toContain(label);
  });
});
