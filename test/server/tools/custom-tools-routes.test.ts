import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createCustomTool } from '../../../schema/tools/custom-tools.js';
import { requireTool } from '../../../schema/tools/tools.js';
import { defineTool } from '../../../server/tools/tool-definitions.js';
import { wireAgent } from '../../../server/agents/agents-wire.js';
import { wireTool } from '../../../server/tools/tools-wire.js';
import { fernHeaders, stainlessHeaders, startTestServer, type TestServer } from '../test-server.js';

function source(name: string, result = '1'): string {
  return `def ${name}(city: str):\n    """Say a city.\n\n    Args:\n        city: Which.\n    """\n    return ${result}\n`;
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe('[tools.upsert] custom tools over REST', () => {
  it('are created from source code alone, found, changed and deleted', async () => {
    const made = await server.read(wireTool, 'POST', '/v1/tools/', {
      body: { source_code: source('say_city'), tags: ['geo'], pip_requirements: [{ name: 'requests' }] },
    });

    expect(made).toMatchObject({
      id: expect.stringMatching(/^tool-[0-9a-f-]{36}$/),
      name: 'say_city',
      tool_type: 'custom',
      source_type: 'python',
      source_code: source('say_city'),
      description: 'Say a city.',
      json_schema: {
        name: 'say_city',
        description: 'Say a city.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
      tags: ['geo'],
      return_char_limit: 50_000,
      pip_requirements: [{ name: 'requests', version: null }],
    });
    expect(await server.read(wireTool, 'GET', `/v1/tools/${made.id}`)).toEqual(made);

    const changed = await server.read(wireTool, 'PATCH', `/v1/tools/${made.id}`, {
      body: { source_code: source('tell_city', '2'), return_char_limit: 100 },
    });
    expect(changed).toMatchObject({
      id: made.id,
      name: 'tell_city',
      return_char_limit: 100,
      tags: ['geo'],
      json_schema: { name: 'tell_city' },
    });

    expect(await server.call('DELETE', `/v1/tools/${made.id}`)).toMatchObject({ status: 200, body: null });
    expect((await server.call('GET', `/v1/tools/${made.id}`)).status).toBe(404);
  });

  it('[tools.letta-json] are Python when a program sends Letta’s type `json` with a schema', async () => {
    const { id, source_type, json_schema, ...rest } = await server.read(wireTool, 'POST', '/v1/tools', {
      body: { source_code: source('copied') },
    });
    await server.call('DELETE', `/v1/tools/${id}`);
    const copy = { source_code: rest.source_code, source_type: 'json', json_schema };

    expect(source_type).toBe('python');
    expect(await server.read(wireTool, 'POST', '/v1/tools', { body: copy })).toMatchObject({
      name: 'copied',
      source_type: 'python',
      json_schema,
    });
    expect(
      await server.call('POST', '/v1/tools', { body: { source_code: source('bare'), source_type: 'json' } }),
    ).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/'json' is not supported/) } });
  });

  it('[tools.strangers] are accepted on an exposed server only with strict isolation', async () => {
    const [exposed, strict] = await Promise.all([
      startTestServer({ settings: { allowsCommands: false } }),
      startTestServer({ settings: { allowsCommands: false, toolsAreIsolated: true } }),
    ]);
    try {
      const body = { source_code: source('steal_city') };
      const theirs = await createCustomTool(exposed.db, {
        ...(await defineTool({ sourceCode: source('own_city'), sourceType: 'python', generation: '1' })),
      });
      const refused = {
        status: 403,
        body: { detail: expect.stringContaining('TOOL_SANDBOX=strict') as unknown },
      };

      expect(await exposed.call('POST', '/v1/tools', { body })).toMatchObject(refused);
      expect(await exposed.call('POST', '/v1/tools/run', { body: { ...body, args: {} } })).toMatchObject(
        refused,
      );
      expect(await exposed.call('PUT', '/v1/tools', { body })).toMatchObject(refused);
      expect(await exposed.call('PATCH', `/v1/tools/${theirs.id}`, { body })).toMatchObject(refused);
      expect(
        await exposed.call('PATCH', `/v1/tools/${theirs.id}`, { body: { return_char_limit: 9 } }),
      ).toMatchObject({ status: 200 });
      expect(await strict.call('POST', '/v1/tools', { body })).toMatchObject({ status: 200 });
    } finally {
      await Promise.all([exposed.close(), strict.close()]);
    }
  });

  it('keep their id, agents and omitted fields in an upsert, by either client', async () => {
    const first = await server.read(wireTool, 'PUT', '/v1/tools/', {
      body: { source_code: source('pick_city'), tags: ['geo'], return_char_limit: 10 },
      headers: fernHeaders,
    });
    const agent = await server.anAgent({ tool_ids: [first.id] });

    const second = await server.read(wireTool, 'PUT', '/v1/tools', {
      body: { source_code: source('pick_city', '2'), description: 'Pick one.' },
      headers: stainlessHeaders,
    });

    expect(second).toMatchObject({
      id: first.id,
      tags: ['geo'],
      return_char_limit: 10,
      source_code: source('pick_city', '2'),
      description: 'Pick one.',
      json_schema: { description: 'Pick one.' },
    });
    const tools = await server.read(z.array(wireTool), 'GET', `/v1/agents/${agent.id}/tools`);
    expect(tools.find(({ name }) => name === 'pick_city')).toEqual(second);
  });

  it('are created once by concurrent upserts', async () => {
    const upserts = await Promise.all(
      ['1', '2', '3'].map((result) =>
        server.read(wireTool, 'PUT', '/v1/tools', { body: { source_code: source('race_city', result) } }),
      ),
    );

    expect(new Set(upserts.map(({ id }) => id)).size).toBe(1);
  });

  it('are refused under an existing name', async () => {
    const body = { source_code: source('taken_city') };
    await server.read(wireTool, 'POST', '/v1/tools', { body });
    const other = await server.read(wireTool, 'POST', '/v1/tools', {
      body: { source_code: source('other_city') },
    });

    expect(await server.call('POST', '/v1/tools', { body })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/named 'taken_city' already exists\. Upsert it/) },
    });
    expect(await server.call('PATCH', `/v1/tools/${other.id}`, { body })).toMatchObject({ status: 409 });
  });

  it('[wire.rename] are renamed by a schema alone and still call the same function', async () => {
    const { body } = await server.call('POST', '/v1/tools', {
      body: { source_code: source('first_name') },
    });
    const { id } = body as { id: string };
    const json_schema = {
      name: 'second_name',
      description: 'Doubles.',
      parameters: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
    };
    const change = (more: object) =>
      server.call('PATCH', `/v1/tools/${id}`, { body: { json_schema, ...more } });

    expect(await change({ source_code: source('third_name') })).toMatchObject({
      status: 400,
    });
    expect(await change({})).toMatchObject({ status: 200, body: { name: 'second_name', json_schema } });
    expect((await requireTool(server.db, id)).runtime.function).toBe('first_name');
  });

  it('[seeds.override] cannot take the name of another tool of the same agent', async () => {
    const made = await server.read(wireTool, 'POST', '/v1/tools', {
      body: { source_code: source('renamed') },
    });
    const agent = await server.anAgent({ tool_ids: [made.id], tools: ['archival_memory_search'] });
    const body = { source_code: source('archival_memory_search') };
    const rename = () => server.call('PATCH', `/v1/tools/${made.id}`, { body });

    expect(await rename()).toMatchObject({
      status: 409,
      body: {
        detail: `Agent ${agent.id} has this tool and another one named 'archival_memory_search'. Detach one of them, or use another name.`,
      },
    });
    const tools = await server.read(z.array(wireTool), 'GET', `/v1/agents/${agent.id}/tools?limit=50`);
    expect(tools).toContainEqual(made);

    const base = tools.find(({ name }) => name === 'archival_memory_search');
    await server.call('PATCH', `/v1/agents/${agent.id}/tools/detach/${base!.id}`);
    expect(await rename()).toMatchObject({ status: 200, body: { name: 'archival_memory_search' } });
  });

  it('[seeds.override] replace a base tool of the same name only when attached by id', async () => {
    const body = { source_code: source('core_memory_append') };
    const own = await server.read(wireTool, 'PUT', '/v1/tools', { body });
    const again = await server.read(wireTool, 'PUT', '/v1/tools', { body });
    const named = async ({ id }: { id: string }) => {
      const tools = await server.read(z.array(wireTool), 'GET', `/v1/agents/${id}/tools?limit=50`);
      return tools.filter(({ name }) => name === own.name).map((tool) => tool.tool_type);
    };
    const both = await server.read(z.array(wireTool), 'GET', `/v1/tools?name=${own.name}`);
    const base = both.find(({ id }) => id !== own.id);
    const overriding = await server.anAgent({ tool_ids: [own.id] });
    const plain = await server.anAgent({ tools: [own.name] });

    expect(again.id).toBe(own.id);
    expect(both.map(({ tool_type: type }) => type).sort()).toEqual(['custom', 'letta_core']);
    expect(await named(overriding)).toEqual(['custom']);
    expect(await named(plain)).toEqual(['letta_core']);
    await server.call('PATCH', `/v1/agents/${plain.id}/tools/attach/${own.id}`);
    expect(await named(plain)).toEqual(['custom']);
    await server.call('PATCH', `/v1/agents/${plain.id}/tools/attach/${base!.id}`);
    expect(await named(plain)).toEqual(['letta_core']);
  });

  it('[seeds.default-approval] need approval if created so, until it is turned off for an agent', async () => {
    const body = { source_code: source('risky_city'), default_requires_approval: true };
    const tool = await server.read(wireTool, 'POST', '/v1/tools', { body });
    const rule = { type: 'requires_approval', tool_name: 'risky_city' };
    const rulesAfter = async (method: 'GET' | 'PATCH', path: string, change?: object) => {
      const url = `/v1/agents/${path}`;
      const agent = await server.read(wireAgent, method, url, change === undefined ? {} : { body: change });
      return agent.tool_rules.filter(({ tool_name: name }) => name === tool.name);
    };
    const made = await server.anAgent({ tool_ids: [tool.id] });
    const other = await server.anAgent({ tools: ['send_message'], include_base_tools: false });

    expect(await rulesAfter('GET', made.id)).toMatchObject([rule]);
    expect(await rulesAfter('PATCH', `${other.id}/tools/attach/${tool.id}`)).toMatchObject([rule]);
    expect(await rulesAfter('PATCH', `${other.id}/tools/attach/${tool.id}`)).toMatchObject([rule]);
    const off = { requires_approval: false };
    expect(await rulesAfter('PATCH', `${made.id}/tools/approval/${tool.name}`, off)).toEqual([]);
    const same = made.tools.map(({ id }) => id).reverse();
    expect(await rulesAfter('PATCH', made.id, { tool_ids: same })).toEqual([]);
    const changed = await server.read(z.array(wireTool), 'GET', `/v1/agents/${made.id}/tools?order=asc`);
    expect(changed.map(({ id }) => id)).toEqual(same);
  });

  it('can be changed while base tools cannot, and deleting a base tool only detaches it', async () => {
    const [builtin] = await server.read(z.array(wireTool), 'GET', '/v1/tools?name=send_message');
    const agent = await server.anAgent();
    const namesOf = async (id: string) =>
      (await server.read(wireAgent, 'GET', `/v1/agents/${id}`)).tools.map(({ name }) => name);
    const before = await namesOf(agent.id);

    const changed = await server.call('PATCH', `/v1/tools/${builtin!.id}`, {
      body: { description: 'Mine.' },
    });
    const deleted = await server.call('DELETE', `/v1/tools/${builtin!.id}`);
    const after = await namesOf(agent.id);
    const next = await server.anAgent();

    expect(changed).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/not a custom tool/) },
    });
    expect(deleted.status).toBe(200);
    expect(before).toContain('send_message');
    expect(after).toEqual(before.filter((name) => name !== 'send_message'));
    expect(await namesOf(next.id)).toContain('send_message');
    expect(await server.read(wireTool, 'GET', `/v1/tools/${builtin!.id}`)).toEqual(builtin);
  });
});

describe('[tools.own-schema] an author’s own schema', () => {
  it('is returned as it was sent', async () => {
    const json_schema = {
      name: 'free_form',
      description: 'Anything.',
      parameters: {
        type: 'object',
        properties: { value: { type: 'string', maxLength: 5 } },
        required: ['value'],
      },
    };

    const made = await server.read(wireTool, 'POST', '/v1/tools', {
      body: { source_code: 'def free_form(**values):\n    return values\n', json_schema },
    });

    expect(made).toMatchObject({ name: 'free_form', description: 'Anything.', json_schema });
  });

  it('of the arguments alone replaces the one from the signature', async () => {
    const args_json_schema = {
      type: 'object',
      title: 'Args',
      properties: { city: { $ref: '#/$defs/City' } },
      required: ['city'],
      $defs: { City: { type: 'object', properties: { name: { type: 'string' } } } },
    };

    const made = await server.read(wireTool, 'PUT', '/v1/tools', {
      body: { source_code: 'def go_there(city):\n    "Go there."\n', args_json_schema },
    });

    expect(made).toMatchObject({
      args_json_schema,
      json_schema: { name: 'go_there', description: 'Go there.', parameters: args_json_schema },
    });
  });

  it.each([
    [{ properties: { value: { type: 'nonsense' } } }, 400, /can't be used: .*type/],
    [{ type: 'array' }, 422, /args_json_schema\.type/],
  ])('is refused if it is not a schema of arguments: %#', async (args_json_schema, status, detail) => {
    const body = { source_code: 'def act(value):\n    "Act."\n', args_json_schema };

    expect(await server.call('POST', '/v1/tools', { body })).toMatchObject({
      status,
      body: { detail: expect.stringMatching(detail) },
    });
  });
});

describe('[tools.hostile-schemas] an oversized schema', () => {
  const deep = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>((inner) => ({ items: inner }), {});
  const long = Array.from({ length: 2_500 }, (_, index) => `${index}${'x'.repeat(100)}`);

  it.each([
    ['its depth', deep(120), /more than 100 levels deep/],
    ['its length', { enum: long }, /characters of JSON, but at most 200000 are allowed/],
  ])('is refused for %s, both for a tool and for a client tool', async (_, value, fault) => {
    const args_json_schema = { type: 'object', properties: { value } };
    const source_code = 'def act(value):\n    "Act."\n';
    const agent = await server.anAgent();
    const client_tools = [{ name: 'act', parameters: args_json_schema }];
    const refused = { status: 422, body: { detail: expect.stringMatching(fault) } };

    expect(await server.call('POST', '/v1/tools', { body: { source_code, args_json_schema } })).toMatchObject(
      refused,
    );
    expect(
      await server.call('POST', `/v1/agents/${agent.id}/messages`, { body: { input: 'Hi.', client_tools } }),
    ).toMatchObject(refused);
  });

  it('is avoided for classes that refer to each other', async () => {
    const levels = Array.from({ length: 17 }, (_, index) => 16 - index);
    const classes = levels.map((level) => {
      const next = level === 16 ? 'int' : `C${level + 1}`;
      return `class C${level}(BaseModel):\n    a: ${next}\n    b: ${next}\n    c: ${next}`;
    });
    const act = 'def act(value: C0):\n    """Act.\n\n    Args:\n        value: What.\n    """\n';
    const body = { source_code: `from pydantic import BaseModel\n${classes.join('\n')}\n${act}` };
    const made = await server.call('POST', '/v1/tools', { body });

    expect(made).toMatchObject({
      status: 200,
      body: { json_schema: { parameters: { $defs: { C16: {} } } } },
    });
    expect(JSON.stringify(made.body).length).toBeLessThan(20_000);
  });
});

describe('[tools.schema-faults] an invalid tool', () => {
  it.each<[object, number, RegExp]>([
    [{ source_code: 'def act(:' }, 400, /not valid Python/],
    [{ source_code: source('a'.repeat(49)) }, 400, /has 49 characters, .* at most 48/],
    [{ source_code: source('act'), source_type: 'cobol' }, 400, /'cobol' is not supported/],
    [{ source_code: '' }, 422, /body\.source_code/],
    [{}, 422, /body\.source_code/],
    [
      { source_code: source('act'), pip_requirements: [{ name: '--index-url=http://x' }] },
      422,
      /pip_requirements\.0\.name: must be a package’s name/,
    ],
    [
      { source_code: source('act'), pip_requirements: [{ name: 'x', version: '1 @ file:///etc' }] },
      422,
      /must be an exact version/,
    ],
  ])('is refused: %#', async (body, status, detail) => {
    const before = await server.read(z.number(), 'GET', '/v1/tools/count');

    expect(await server.call('POST', '/v1/tools', { body })).toMatchObject({
      status,
      body: { detail: expect.stringMatching(detail) },
    });
    expect(await server.read(z.number(), 'GET', '/v1/tools/count')).toBe(before);
  });
});
