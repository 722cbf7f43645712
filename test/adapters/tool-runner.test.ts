import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ToolAgentState } from '../../adapters/custom-tools/runner-protocol.js';
import { bestIsolation, describeEachIsolation, describeIsolated } from '../support/tools/isolation.js';
import { startToolRunner, type TestToolRunner } from '../support/tools/tool-runners.js';

const agent: ToolAgentState = {
  id: 'agent-1',
  name: 'Sam',
  tags: ['one'],
  metadata: { role: { rank: 1 } },
  blocks: [
    { id: 'block-1', label: 'human', value: 'Mina' },
    { id: 'block-2', label: 'persona', value: 'Sam' },
  ],
};

/** What the server returns for a path. */
function shownAt(path: string): unknown {
  const block = (id: string, label: string, revision: number) => ({
    id,
    label,
    revision,
    value: 'from the server',
  });
  if (path === '/v1/blocks') return [block('block-3', 'three', 3), block('block-4', 'four', 4)];
  if (path === '/v1/agents/agent-2') return { id: 'agent-2', blocks: [block('block-5', 'my plan', 5)] };
  if (path.endsWith('/core-memory/blocks/notes')) return block('block-6', 'notes', 6);
  return block('block-1', 'human', 7);
}

describeEachIsolation('[tools.run] a Python tool in %s', (isolation) => {
  /** The requests to the server behind the runner. */
  const asked: { method: string; path: string; token: unknown; ifMatch: unknown }[] = [];
  const server = createServer((request, response) => {
    asked.push({
      method: request.method ?? '',
      path: request.url ?? '',
      token: request.headers['x-perdure-tool-token'],
      ifMatch: request.headers['if-match'],
    });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(request.method === 'HEAD' ? '' : JSON.stringify(shownAt(request.url ?? '')));
  });
  let runner: TestToolRunner;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    runner = await startToolRunner(isolation, { apiUrl: `http://127.0.0.1:${port}` });
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    ['"text"', 'text'],
    ['None', 'None'],
    ['True', 'True'],
    ['41 + 1', '42'],
    ['{"a": ["ü", 1]}', '{"a": ["ü", 1]}'],
  ])('returns %s as text', async (value, text) => {
    expect(await runner.call(`def act():\n  return ${value}`)).toMatchObject({ ok: true, message: text });
  });

  it('keeps output separate from the result', async () => {
    const end = await runner.call(
      'import sys\ndef act(word: str):\n  print("out", word)\n  print("err", file=sys.stderr)\n  return word * 2',
      { arguments: { word: 'ha' } },
    );

    expect(end).toEqual({ ok: true, message: 'haha', stdout: ['out ha\n'], stderr: ['err\n'], blocks: {} });
  });

  it.each([
    ['raise ValueError("no seat")', 'ValueError: no seat'],
    ['import sys; sys.exit(3)', 'SystemExit: 3'],
    ['return missing', "NameError: name 'missing' is not defined"],
    ['import os; os._exit(7)', 'ProcessError: its process ended without a result (exit code 7).'],
    ['import os; os.kill(os.getpid(), 9)', /^ProcessError: its process ended without a result \(.+\)\.$/],
  ])('reports errors in Letta’s words: %s', async (body, error) => {
    const end = await runner.call(`def act():\n  ${body}`);

    expect(end).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Error executing function act: /),
    });
    const said = end.message.slice('Error executing function act: '.length);
    if (typeof error === 'string') expect(said).toBe(error);
    else expect(said).toMatch(error);
  });

  it('shows the traceback of its own lines on stderr', async () => {
    const { stderr } = await runner.call('def inner():\n  raise KeyError("x")\ndef act():\n  inner()');

    expect(stderr[0]).toMatch(/^Traceback .*\n {2}File "<tool>", line 4, in act/);
    expect(stderr[0]).not.toContain('<string>');
  });

  it('receives the agent’s state and returns only the blocks that it changed', async () => {
    const end = await runner.call(
      `def act(agent_state: AgentState, agent_id: str, more: Optional[List[str]] = None):
    assert agent_state.id == agent_id
    assert agent_state.memory.get_block("human").value == "Mina"
    assert [block.label for block in agent_state.blocks] == agent_state.memory.list_block_labels()
    agent_state.memory.update_block_value(label="human", value="Mina sails")
    agent_state.memory.get_block("persona").value += ""
    return [agent_state.name, agent_state.tags, agent_state.metadata.role.rank, agent_state.model_dump()["name"]]`,
      { agent },
    );

    expect(end).toMatchObject({
      ok: true,
      message: '["Sam", ["one"], 1, "Sam"]',
      blocks: { 'block-1': 'Mina sails' },
    });
  });

  it('lists the existing blocks when it asks for an unknown one', async () => {
    expect(
      await runner.call('def act(agent_state):\n  agent_state.memory.get_block("x")', { agent }),
    ).toMatchObject({
      message: expect.stringMatching(/KeyError: "there is no block 'x'; there are: human, persona"/),
      blocks: {},
    });
  });

  it('has the agent’s variables and none of the server’s', async () => {
    process.env['PERDURE_TEST_SECRET'] = 'of the server';

    const { message } = await runner.call('import os\ndef act():\n  return dict(os.environ)', {
      environment: { TOKEN: 'mine' },
    });

    delete process.env['PERDURE_TEST_SECRET'];
    const environment = JSON.parse(message) as Record<string, string>;
    expect(environment['TOKEN']).toBe('mine');
    expect(Object.keys(environment).sort()).toEqual(
      expect.not.arrayContaining(['PERDURE_TEST_SECRET', 'DATABASE_URL', 'NODE_OPTIONS']),
    );
    expect(
      Object.keys(environment)
        .filter((name) => name !== 'PWD')
        .sort(),
    ).toEqual([...['HOME', 'LANG', 'PATH', 'TMPDIR', 'TOKEN']]);
  });

  it('may be a coroutine, import anywhere, and define helpers and classes', async () => {
    const end = await runner.call(
      `import asyncio
class Point:
    def __init__(self, x): self.x = x
def double(point): return Point(point.x * 2)
async def act(x: int) -> "Point":
    import json
    await asyncio.sleep(0)
    return json.dumps(double(Point(x)).x)`,
      { arguments: { x: 21 } },
    );

    expect(end).toMatchObject({ ok: true, message: '42' });
  });

  it('[tools.call-back] reaches the server at localhost:8283 with its token, and writes on the revision that it read', async () => {
    asked.length = 0;

    const end = await runner.call(`import urllib.request as http, json
def act():
    url = "http://localhost:8283/v1/blocks/block-1"
    first = json.load(http.urlopen(url))
    http.urlopen(http.Request(url, method="PATCH", data=b'{}', headers={"content-type": "application/json"}))
    http.urlopen(http.Request(url, method="PATCH", data=b'{}', headers={"if-match": "*"}))
    return first["value"]`);

    expect(end).toMatchObject({ ok: true, message: 'from the server' });
    const request = { path: '/v1/blocks/block-1', token: 'a token' };
    expect(asked).toEqual([
      { ...request, method: 'GET', ifMatch: undefined },
      { ...request, method: 'PATCH', ifMatch: '"7"' },
      { ...request, method: 'PATCH', ifMatch: '*' },
    ]);
  });

  it('[tools.call-back] writes on the revision that it read in a list, an agent, by label or in its own state', async () => {
    asked.length = 0;

    const end = await runner.call(
      `import urllib.request as http
def act():
    def ask(path, method="GET"):
        data = b"{}" if method == "PATCH" else None
        http.urlopen(http.Request("http://localhost:8283/v1" + path, method=method, data=data, headers={"content-type": "application/json"})).read()
    ask("/blocks")
    ask("/blocks", "HEAD")
    ask("/blocks/block-4", "PATCH")
    ask("/agents/agent-2")
    ask("/agents/agent-2/core-memory/blocks/my%20plan", "PATCH")
    ask("/agents/agent-2/core-memory/blocks/notes")
    ask("/blocks/block-6", "PATCH")
    ask("/blocks/block-2", "PATCH")
    ask("/agents/agent-1/core-memory/blocks/persona", "PATCH")
    ask("/blocks/block-9", "PATCH")`,
      { agent: { ...agent, blocks: agent.blocks.map((block) => ({ ...block, revision: 2 })) } },
    );

    expect(end).toMatchObject({ ok: true });
    const writes = asked.filter(({ method }) => method === 'PATCH');
    expect(writes.map(({ path, ifMatch }) => [path, ifMatch])).toEqual([
      ['/v1/blocks/block-4', '"4"'],
      ['/v1/agents/agent-2/core-memory/blocks/my%20plan', '"5"'],
      ['/v1/blocks/block-6', '"6"'],
      ['/v1/blocks/block-2', '"2"'],
      ['/v1/agents/agent-1/core-memory/blocks/persona', '"2"'],
      ['/v1/blocks/block-9', undefined],
    ]);
  });
  it('[tools.call-back] reaches only the API of the server', async () => {
    asked.length = 0;

    const end = await runner.call(
      'import urllib.request\ndef act():\n  urllib.request.urlopen("http://localhost:8283/docs")',
    );

    expect(end.message).toMatch(/HTTPError: HTTP Error 403/);
    expect(asked).toEqual([]);
  });

  it('stops when its caller aborts, and rejects with the caller’s reason', async () => {
    const caller = new AbortController();
    const running = runner.call('import time\ndef act():\n  time.sleep(60)', { signal: caller.signal });
    caller.abort(new Error('given up'));

    await expect(running).rejects.toThrow('given up');
  });
});

describeEachIsolation('[tools.typescript] a TypeScript tool in %s', (isolation) => {
  let runner: TestToolRunner;
  beforeAll(async () => {
    runner = await startToolRunner(isolation);
  });

  it.each([
    ['export function join(a: string, b: number): string {\n  return `${a}-${b}`;\n}', 'x-2'],
    ['async function join({ a, b }: { a: string; b: number }) {\n  return { a, b };\n}', '{"a":"x","b":2}'],
    [
      'import { basename } from "node:path";\nfunction join(all: { a: string }) {\n  return basename(all.a);\n}',
      'x',
    ],
    ['function join() {\n  return undefined;\n}', 'None'],
  ])('receives its arguments: %#', async (source, message) => {
    const end = await runner.call(source, { sourceType: 'typescript', arguments: { a: 'x', b: 2 } });

    expect(end).toMatchObject({ ok: true, message });
  });

  it('reports errors in Letta’s words, and keeps its output', async () => {
    const end = await runner.call(
      'function act(): never {\n  console.log("before");\n  throw new RangeError("too far");\n}',
      {
        sourceType: 'typescript',
      },
    );

    expect(end).toMatchObject({
      ok: false,
      message: 'Error executing function act: RangeError: too far',
      stdout: ['before\n'],
      stderr: [expect.stringMatching(/^RangeError: too far\n +at act/)],
    });
  });
});

describeIsolated('[tools.typescript] a TypeScript tool', () => {
  it('reaches the server through its relay and nothing else', async () => {
    const server = createServer((_request, response) => response.end('"from the server"'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const runner = await startToolRunner('bubblewrap', { apiUrl: `http://127.0.0.1:${port}` });

    const end = await runner.call(
      `async function act() {
  const answer = await fetch("http://localhost:8283/v1/blocks/");
  const elsewhere = await fetch("http://127.0.0.1:${port}/").catch((error) => error.cause.code);
  return [await answer.json(), elsewhere];
}`,
      { sourceType: 'typescript' },
    );

    await new Promise((resolve) => server.close(resolve));
    expect(end).toMatchObject({ ok: true, message: '["from the server","ECONNREFUSED"]' });
  });

  it('is stopped when it takes 2 GB, and cannot read the machine’s files', async () => {
    const runner = await startToolRunner('bubblewrap');
    const call = (body: string) =>
      runner.call(`async function act() {\n  ${body}\n}`, { sourceType: 'typescript' });

    expect(
      await call(
        'const kept = []; for (;;) { kept.push(Buffer.alloc(64 << 20, 1)); await new Promise(setImmediate); }',
      ),
    ).toMatchObject({ message: expect.stringMatching(/MemoryError: it used more than 1024 MB/) });
    expect(
      await call('return process.getBuiltinModule("fs").readFileSync("/etc/shadow", "utf8")'),
    ).toMatchObject({
      message: expect.stringMatching(/ENOENT|EACCES/),
    });
  });

  it('is refused with the line of a syntax error', async () => {
    const runner = await startToolRunner('bubblewrap');

    await expect(
      runner.call('function act() {\n  return (;\n}', { sourceType: 'typescript' }),
    ).rejects.toThrow(/^act can't be run: The source is not valid TypeScript: .* \(line 2\)\.$/);
  });
});

describe('[tools.run-code] code', () => {
  it.each([
    ['python', 'x = 20\nprint("hi")\nx * 2 + 2', '42', ['hi\n']],
    ['python', 'x = 1', '', []],
    ['typescript', 'const x: number = 20;\nconsole.log("hi");\nx * 2 + 2', '42', ['hi\n']],
    [
      'typescript',
      'import { inspect } from "node:util";\nconsole.log(inspect(await Promise.resolve(1)))',
      '',
      ['1\n'],
    ],
  ])('in %s returns its last value: %#', async (sourceType, source, message, stdout) => {
    const runner = await startToolRunner(bestIsolation);

    const end = await runner.call(source, { sourceType, runtime: { function: null }, token: null });

    expect(end).toMatchObject({ ok: true, message, stdout });
  });
});

describe('[tools.packages] packages', () => {
  it('are installed when the source imports them, and dicts become their models', async () => {
    const runner = await startToolRunner(bestIsolation, { timeoutMs: 60_000 });

    const end = await runner.call(
      `from pydantic import BaseModel
class City(BaseModel):
    name: str
def act(cities: List[City]):
    import letta_client
    return [city.name for city in cities] + [client.agents.__class__.__name__]`,
      { runtime: { modules: ['pydantic', 'letta_client'] }, arguments: { cities: [{ name: 'Rome' }] } },
    );

    expect(end).toMatchObject({ ok: true, message: '["Rome", "AgentsClient"]' });
  });

  it('are not needed for arguments whose schema describes models', async () => {
    const runner = await startToolRunner(bestIsolation);
    const argsSchema = {
      type: 'object',
      properties: {
        data: { $ref: '#/$defs/Entry' },
        more: { type: 'array', items: { $ref: '#/$defs/Entry' } },
        free: { type: 'object' },
      },
      $defs: {
        Entry: {
          type: 'object',
          properties: { item: { anyOf: [{ $ref: '#/$defs/Item' }, { type: 'null' }] } },
        },
        Item: { type: 'object', properties: { name: { type: 'string' } } },
      },
    };
    const entry = { item: { name: 'tea' } };
    const end = await runner.call(
      'def act(data, more, free):\n    return [data.item.name, more[0].item.name, free["a"], data]',
      { argsSchema, arguments: { data: entry, more: [entry], free: { a: 1 } } },
    );

    expect(end).toMatchObject({ ok: true, message: '["tea", "tea", 1, {"item": {"name": "tea"}}]' });
  });

  it('fail the preparation with the reason if they cannot be installed', async () => {
    const runner = await startToolRunner(bestIsolation);

    const prepared = await runner.prepare({
      name: 'act',
      sourceType: 'python',
      sourceCode: 'def act(): pass',
      runtime: { function: 'act', modules: [] },
      requirements: [{ name: 'pip', version: '0.0.0.0' }],
      parameters: [],
    });

    expect(prepared).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(
        /^act can't be run: .*No matching distribution found for pip==0\.0\.0\.0/,
      ),
    });
  });
});
