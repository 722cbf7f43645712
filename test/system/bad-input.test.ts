import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCanary } from '../support/runtime/canary.js';
import { conformanceModel } from '../support/conformance-model.js';
import { createRest, type Rest } from '../support/server/rest.js';
import { shareTestStack, type TestStack } from '../support/stack.js';

const models = { model: 'openai/scripted', embedding: 'openai/text-embedding-3-small' };
const noUuid = '00000000-0000-4000-8000-000000000000';
const hello = [{ role: 'user', content: `Hello ${runCanary()}` }];

/** A request that can't be served. `$agent` and `$block` stand for those of the test. */
interface BadRequest {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** What its sentence says. */
  readonly says: RegExp;
}

const toAgents = (what: string, body: object, status: number, says: RegExp): BadRequest => ({
  what,
  method: 'POST',
  path: '/v1/agents/',
  body: { ...models, ...body },
  status,
  says,
});

const toMessages = (what: string, body: unknown, status: number, says: RegExp): BadRequest => ({
  what,
  method: 'POST',
  path: '/v1/agents/$agent/messages',
  body,
  status,
  says,
});

const get = (what: string, path: string, status: number, says: RegExp): BadRequest => ({
  what,
  method: 'GET',
  path,
  status,
  says,
});

const badRequests: readonly BadRequest[] = [
  get('an unknown agent', `/v1/agents/agent-${noUuid}`, 404, /Agent with ID agent-0\S+ not found\. List/),
  {
    ...toMessages('an unknown one', { messages: hello }, 404, /not found/),
    path: `/v1/agents/agent-${noUuid}/messages`,
  },
  get('a malformed id', '/v1/agents/agent-1', 422, /^path\.agent_id: must be an id of the form agent-<uuid>/),
  get('an id of another kind', '/v1/agents/$block', 422, /agent-<uuid>/),
  get('a broken escape in the path', '/v1/agents/%E0%A4%A', 400, /not a valid url/),
  toMessages(
    'a callback to what is no web address',
    { messages: hello, callback_url: 'ftp://example.com' },
    422,
    /^body\.callback_url: /,
  ),
  get('an unknown path', '/v1/nonsense', 404, /Not Found/),
  get('an unknown run', `/v1/runs/run-${noUuid}`, 404, /Run with ID \S+ not found/),
  get('an unknown step', `/v1/steps/step-${noUuid}`, 404, /Step with ID \S+ not found/),
  get('an unknown label', '/v1/agents/$agent/core-memory/blocks/nope', 404, /no block labelled 'nope'/),
  get('NUL in a path', '/v1/agents/$agent/core-memory/blocks/%00', 404, /no block labelled/),
  get('a limit of nothing', '/v1/agents/?limit=0', 422, /^query\.limit/),
  get('a limit that is no number', '/v1/agents/?limit=many', 422, /^query\.limit/),
  get('a cursor that is no id', '/v1/agents/?after=first', 422, /^query\.after/),
  toAgents('a name that is a number', { name: 5 }, 422, /^body\.name: .*expected string/),
  toAgents('blocks that are no list', { memory_blocks: 'x' }, 422, /^body\.memory_blocks/),
  toAgents('a block without a value', { memory_blocks: [{ label: 'x' }] }, 422, /memory_blocks\.0\.value/),
  toAgents(
    'a block over its limit',
    { memory_blocks: [{ label: 'x', value: 'long', limit: 2 }] },
    422,
    /Exceeds 2 character limit \(requested 4\)\. Shorten/,
  ),
  toAgents('an unknown block', { block_ids: [`block-${noUuid}`] }, 404, /Block with ID \S+ not found/),
  toAgents('an unknown tool', { tools: ['no_such_tool'] }, 404, /Tool not found: no_such_tool\. List/),
  toAgents('NUL in a tool’s name', { tools: ['a\u0000b'] }, 404, /Tool not found/),
  toAgents(
    'an unknown rule',
    { tool_rules: [{ type: 'x', tool_name: 'y' }] },
    422,
    /^body\.tool_rules\.0\.type/,
  ),
  toAgents('an unknown type', { agent_type: 'x' }, 422, /^body\.agent_type: .*memgpt_agent/),
  toAgents('an unknown model', { model: 'nobody/model' }, 404, /^NOT_FOUND: There is no model nobody\/model/),
  toAgents('a model without its key', { model: 'anthropic/claude' }, 404, /set ANTHROPIC_API_KEY/),
  toAgents('an unknown embedding', { embedding: 'nobody/model' }, 404, /There is no embedding model/),
  toAgents(
    'a window no database can hold',
    { context_window_limit: 3e9 },
    422,
    /^body\.context_window_limit/,
  ),
  toAgents('a body too large', { name: 'x'.repeat(17 * 1_048_576) }, 413, /too large\. Send less/),
  toMessages('no message', { messages: [] }, 422, /at least one message/),
  toMessages('messages and input at once', { messages: hello, input: 'Hello' }, 422, /exactly one of/),
  toMessages('an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, 422, /messages\.0\.role/),
  toMessages('more steps than can be counted', { messages: hello, max_steps: 3e9 }, 422, /^body\.max_steps/),
  toMessages('no JSON', '{"messages": [', 422, /not valid JSON/),
  toMessages('JSON that is no object', '[]', 422, /^body: .*expected object/),
  {
    what: 'a value over its block’s limit',
    method: 'PATCH',
    path: '/v1/blocks/$block',
    body: { value: 'too long' },
    status: 422,
    says: /Exceeds 5 character limit \(requested 8\)/,
  },
  {
    what: 'a limit that no database can hold',
    method: 'PATCH',
    path: '/v1/blocks/$block',
    body: { limit: Number.MAX_SAFE_INTEGER },
    status: 422,
    says: /^body\.limit/,
  },
  {
    what: 'an attachment of a tool that does not exist',
    method: 'PATCH',
    path: `/v1/agents/$agent/tools/attach/tool-${noUuid}`,
    status: 404,
    says: /Tool not found/,
  },
];

describe('requests that can’t be served', () => {
  let stack: TestStack;
  let rest: Rest;
  const ids = { $agent: '', $block: '' };

  beforeAll(async () => {
    stack = await shareTestStack(conformanceModel);
    rest = createRest(stack.url);
    const { id } = await rest.read<{ id: string }>('POST', '/v1/agents/', models);
    const block = await rest.read<{ id: string }>('POST', '/v1/blocks/', {
      label: 'x',
      value: 'v',
      limit: 5,
    });
    Object.assign(ids, { $agent: id, $block: block.id });
  });

  afterAll(async () => {
    await stack.close();
  });

  it.each(badRequests)(
    '[rest.errors] $method with $what: $status',
    async ({ method, path, body, status, says }) => {
      const place = path.replace('$agent', ids.$agent).replace('$block', ids.$block);

      const answer = await rest.call(method, place, body);

      expect(answer.status).toBe(status);
      expect(answer.body).toMatchObject({ detail: expect.stringMatching(says) });
    },
  );

  it('[rest.errors] keeps texts that Postgres does not store, with U+FFFD in the place of what is wrong', async () => {
    const strange = { name: 'a\u0000b', system: 'c\ud800d', metadata: { 'e\u0000f': '😀' } };

    const made = await rest.read<{ id: string }>('POST', '/v1/agents/', { ...models, ...strange });

    const expected = { name: 'a\ufffdb', system: 'c\ufffdd', metadata: { 'e\ufffdf': '😀' } };
    expect(await rest.read('GET', `/v1/agents/${made.id}`)).toMatchObject(expected);
    expect(await rest.read('GET', '/v1/agents/?name=a%00b')).toMatchObject([{ id: made.id }]);
  });
});
