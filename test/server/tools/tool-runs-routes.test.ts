import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { wireBlock } from '../../../server/blocks/blocks-wire.js';
import { wireTool } from '../../../server/tools/tools-wire.js';
import { startTestServer, type TestServer } from '../test-server.js';

const source = `import os
def greet(agent_state, name: str):
    """Greet.

    Args:
        name: Whom.
    """
    print("greeting")
    if agent_state is not None:
        agent_state.memory.update_block_value("human", f"Is called {name}.")
    return f"{os.environ.get('WORD', 'Hello')}, {name}"
`;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe('[tools.run-rest] a tool run over REST', () => {
  it('returns the result of source code as an agent would see it', async () => {
    const body = { source_code: source, args: { name: 'Mina' }, env_vars: { WORD: 'Ahoy' } };

    expect(await server.call('POST', '/v1/tools/run', { body })).toMatchObject({
      status: 200,
      body: {
        message_type: 'tool_return_message',
        name: 'greet',
        status: 'success',
        tool_return: 'Ahoy, Mina',
        stdout: ['greeting\n'],
        stderr: [],
        tool_returns: [{ type: 'tool', tool_return: 'Ahoy, Mina', status: 'success' }],
      },
    });
    expect(await server.read(z.array(wireTool), 'GET', '/v1/tools?name=greet')).toEqual([]);
  });

  it('fails as it would for an agent', async () => {
    const body = { source_code: source, args: {} };

    expect(await server.call('POST', '/v1/tools/run', { body })).toMatchObject({
      status: 200,
      body: {
        status: 'error',
        tool_return: expect.stringMatching(/^Error executing function greet: TypeError: .*'name'/),
      },
    });
  });

  it('reads and changes an agent’s state, variables and memory', async () => {
    const tool = await server.read(wireTool, 'POST', '/v1/tools', { body: { source_code: source } });
    const agent = await server.anAgent({
      tool_ids: [tool.id],
      memory_blocks: [{ label: 'human', value: 'Nobody yet.' }],
      tool_exec_environment_variables: { WORD: 'Moin' },
    });
    const path = `/v1/agents/${agent.id}`;

    expect(
      await server.call('POST', `${path}/tools/greet/run`, { body: { args: { name: 'Ada' } } }),
    ).toMatchObject({
      status: 200,
      body: { status: 'success', func_return: 'Moin, Ada', stdout: ['greeting\n'], stderr: [] },
    });
    expect(await server.read(wireBlock, 'GET', `${path}/core-memory/blocks/human`)).toMatchObject({
      value: 'Is called Ada.',
    });
    const actors = await server.db
      .selectFrom('block_revisions')
      .select('actor')
      .where('revision', '=', 2)
      .execute();
    expect(actors).toEqual([{ actor: 'tool' }]);
    expect(await server.db.selectFrom('tool_tokens').selectAll().execute()).toEqual([]);
  });

  it('edits memory with a base tool as the agent would, and reports faulty calls', async () => {
    const agent = await server.anAgent({
      memory_blocks: [
        { label: 'human', value: 'Is called Ada.' },
        { label: 'rules', value: 'Be kind.', read_only: true },
      ],
    });
    const path = `/v1/agents/${agent.id}`;
    const run = (name: string, args: object) =>
      server.call('POST', `${path}/tools/${name}/run`, { body: { args } });

    const done = await run('core_memory_append', { name: 'human', content: 'Sails.' });
    const wrong = await Promise.all([
      run('core_memory_append', { label: 'human', FAKE_ARG: 'x' }),
      run('core_memory_append', { label: 'human', content: 7 }),
      run('core_memory_append', { label: 'nobody', content: 'Sails.' }),
      run('core_memory_append', { label: 'rules', content: 'Or not.' }),
      run('core_memory_replace', { label: 'human', old_content: 'Bob', new_content: 'Ann' }),
    ]);

    expect(done).toMatchObject({ status: 200, body: { status: 'success', func_return: expect.any(String) } });
    for (const answer of wrong) {
      expect(answer).toMatchObject({
        status: 200,
        body: { status: 'error', func_return: null, stderr: [expect.any(String)] },
      });
    }
    expect(await server.read(wireBlock, 'GET', `${path}/core-memory/blocks/human`)).toMatchObject({
      value: 'Is called Ada.\nSails.',
    });
  });

  it.each([
    ['other', 404, /Tool not found: other/],
    ['send_message', 400, /'send_message' only runs within turns/],
  ])(
    'is refused for a tool that the agent lacks or that only runs in turns: %s',
    async (name, status, detail) => {
      const agent = await server.anAgent();

      expect(
        await server.call('POST', `/v1/agents/${agent.id}/tools/${name}/run`, { body: { args: {} } }),
      ).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } });
    },
  );

  it('[tools.typescript] accepts TypeScript only with a schema', async () => {
    const typescript = {
      source_code: 'function add(a: number, b: number) { return a + b; }',
      source_type: 'typescript',
    };
    const number = { type: 'number' };
    const json_schema = {
      name: 'add',
      description: 'Add.',
      parameters: { type: 'object', properties: { a: number, b: number } },
    };

    expect(
      await server.call('POST', '/v1/tools/run', {
        body: { ...typescript, json_schema, args: { b: 2, a: 40 } },
      }),
    ).toMatchObject({ status: 200, body: { status: 'success', tool_return: '42' } });
    expect(await server.call('POST', '/v1/tools', { body: typescript })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/needs a json_schema/) },
    });
    expect(
      await server.call('POST', '/v1/tools', {
        body: { ...typescript, json_schema, source_code: 'let x = ;' },
      }),
    ).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/not valid TypeScript/) } });
  });
});
