import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endOf, packageFile } from '../../stack/processes.js';
import { conformanceModel } from '../support/conformance-model.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { startTestStack, type TestStack } from '../support/stack.js';
import { makeTemporaryDirectory } from '../support/runtime/temporary.js';

/** Requests for each operation: `FUZZ_EXAMPLES=200 npm run fuzz` looks closer. */
const examples = process.env['FUZZ_EXAMPLES'] ?? '25';
const python = packageFile('.cache/python/fuzz-4.32.5/bin/python');

/** By the names of parameters in paths. */
type Ids = Readonly<Record<string, string>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  schema: object;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  requestBody?: object;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: Record<string, object> }>>;
  };
}

/** 501: said of what is not served. 502: an MCP server that there is not. */
const config = `[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "501", "502"]
`;

const options = [
  ...['--checks', 'not_a_server_error,status_code_conformance', '--phases', 'fuzzing'],
  ...['--max-examples', examples, '--workers', '2', '--request-timeout', '60'],
  ...[
    '--continue-on-failure',
    '--no-color',
    '--no-shrink',
    '--suppress-health-check',
    'all',
    '--warnings',
    'off',
  ],
  ...process.argv.filter((one) => one.startsWith('--seed')),
];

const mcpAnswers = 'application/json, text/event-stream';

describe('requests made from the OpenAPI document', () => {
  let stack: TestStack;
  const directory = makeTemporaryDirectory('fuzz');

  beforeAll(async () => {
    stack = await startTestStack(conformanceModel);
  });

  afterAll(() => stack.close());

  it('are never answered by 5xx, nor by a status that is not documented [wire.wrong-input]', async () => {
    const rest = createRest(stack.url);
    const described = await rest.read<Description>('GET', '/openapi.json');
    const kept = await makeThings(rest);
    name(described, kept, await makeThings(rest));
    nameInBodies(described, kept);
    describeMcp(described, kept, await mcpTools(stack.url));
    const files = { document: join(directory, 'openapi.json'), config: join(directory, 'schemathesis.toml') };
    await writeFile(files.document, JSON.stringify(described));
    await writeFile(files.config, config);

    const of = ['--config-file', files.config, 'run', files.document, '--url', stack.url];
    // Streams without an end are left out. MCP's transport wants to be asked for both kinds of answers, and others would stream.
    const others = await run(directory, [...of, ...options, '--exclude-path-regex', '(/events|^/mcp)$']);
    const mcp = await run(directory, [
      ...[...of, ...options, '--include-path', '/mcp'],
      ...['--header', `accept: ${mcpAnswers}`],
    ]);

    expect([others, mcp].map(({ code, said }) => (code === 0 ? '' : said))).toEqual(['', '']);
    for (const { said } of [others, mcp]) expect(said).toMatch(/No issues found/);
  }, 3_600_000);
});

/** One thing of each kind, by which operations are asked for. */
async function makeThings(rest: Rest): Promise<Ids> {
  const idOf = async (method: string, path: string, body?: unknown): Promise<string> => {
    const made = await rest.read<{ id: string } | readonly { id: string }[]>(method, path, body);
    return (
      (Array.isArray(made) ? (made as readonly { id: string }[])[0]?.id : (made as { id: string }).id) ?? ''
    );
  };
  const unique = Math.random().toString(36).slice(2);
  const agent = await idOf('POST', '/v1/agents', {
    model: 'openai/gpt-4o-mini',
    memory_blocks: [{ label: 'human', value: 'Ann.' }],
  });
  const of = `/v1/agents/${agent}`;
  const said = await rest.read<{ messages: readonly { id: string; run_id: string; step_id: string }[] }>(
    'POST',
    `${of}/messages`,
    { messages: [{ role: 'user', content: 'Hello' }] },
  );
  const [block] = await rest.read<readonly { id: string }[]>('GET', `${of}/core-memory/blocks`);
  const [tool] = await rest.read<readonly { id: string }[]>('GET', `${of}/tools`);
  const passage = await idOf('POST', `${of}/archival-memory`, { text: 'Ann likes nuts.' });
  const folder = await idOf('POST', '/v1/folders', { name: unique });
  const [message] = said.messages;
  const schedule = await idOf('POST', `${of}/schedule`, {
    messages: [{ role: 'user', content: 'Good morning.' }],
    schedule: { type: 'recurring', cron_expression: '0 8 * * *' },
  });
  return {
    agent_id: agent,
    block_id: block?.id ?? '',
    block_label: 'human',
    tool_id: tool?.id ?? '',
    tool_name: 'send_message',
    memory_id: passage,
    passage_id: passage,
    archive_id: await idOf('GET', `/v1/archives?agent_id=${agent}`),
    folder_id: folder,
    source_id: folder,
    message_id: message?.id ?? '',
    run_id: message?.run_id ?? '',
    step_id: message?.step_id ?? '',
    scheduled_message_id: schedule,
    chat_id: agent,
    revision: '1',
    conversation_id: await idOf('POST', `/v1/conversations?agent_id=${agent}`, {}),
    group_id: await idOf('POST', '/v1/groups', { agent_ids: [agent], description: 'One.' }),
    identity_id: await idOf('POST', '/v1/identities', {
      identifier_key: unique,
      name: 'Ann',
      identity_type: 'user',
    }),
  };
}

/** Has most requests ask for things that are there. What is deleted is nobody else's. */
function name({ paths }: Description, kept: Ids, doomed: Ids): void {
  for (const operations of Object.values(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(operations)) {
      for (const parameter of parameters) {
        const id = (method === 'delete' ? doomed : kept)[parameter.name];
        if (parameter.in === 'path' && id !== undefined)
          parameter.schema = { anyOf: [{ enum: [id] }, { enum: [id] }, parameter.schema] };
      }
    }
  }
}

/** Has chats be with an agent that is there: their bodies name it. */
function nameInBodies({ components: { schemas } }: Description, { agent_id: agent }: Ids): void {
  for (const [schema, property] of [
    ['UIChatRequest', 'id'],
    ['RunAgentInput', 'threadId'],
  ] as const) {
    const properties = schemas[schema]?.properties;
    const described = properties?.[property];
    if (properties === undefined || described === undefined) throw new Error(`There is no ${schema}.`);
    properties[property] = { anyOf: [{ enum: [agent] }, { enum: [agent] }, described] };
  }
}

interface McpTool {
  readonly name: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, object>> };
}

async function mcpTools(url: string): Promise<readonly McpTool[]> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: mcpAnswers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const said = /^data: (.*)$/m.exec(await response.text())?.[1] ?? '{}';
  return (JSON.parse(said) as { result: { tools: readonly McpTool[] } }).result.tools;
}

/** Has MCP requests call the tools that there are, with what they take; some are of any shape. */
function describeMcp({ paths }: Description, ids: Ids, tools: readonly McpTool[]): void {
  const post = paths['/mcp']?.['post'];
  if (post === undefined) throw new Error('There is no /mcp.');
  const argument = (name: string, schema: object): object => {
    const id = ids[name];
    return id === undefined ? schema : { anyOf: [{ enum: [id] }, schema] };
  };
  const calls = tools.map(({ name: tool, inputSchema }) => ({
    type: 'object',
    required: ['name', 'arguments'],
    properties: {
      name: { enum: [tool] },
      arguments: {
        ...inputSchema,
        properties: Object.fromEntries(
          Object.entries(inputSchema.properties ?? {}).map(([key, schema]) => [key, argument(key, schema)]),
        ),
      },
    },
  }));
  const request = (methods: readonly string[], params: object): object => ({
    type: 'object',
    required: ['jsonrpc', 'id', 'method', 'params'],
    properties: {
      ...{ jsonrpc: { enum: ['2.0'] }, id: { type: ['integer', 'string'] } },
      ...{ method: { enum: methods }, params },
    },
  });
  const schema = {
    anyOf: [
      request(['tools/call'], { anyOf: calls }),
      request(['initialize', 'ping', 'tools/list', 'resources/list', 'none'], { type: 'object' }),
      { type: 'object' },
      { type: 'array', items: { type: 'object' } },
    ],
  };
  post.requestBody = { required: true, content: { 'application/json': { schema } } };
}

/** It keeps what it found in the directory where it runs. */
async function run(
  cwd: string,
  args: readonly string[],
): Promise<{ readonly code: unknown; readonly said: string }> {
  const child = spawn(python, ['-m', 'schemathesis.cli', ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { code: await endOf(child), said };
}
