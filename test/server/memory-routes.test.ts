import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wireBlock } from '../../server/wire/blocks.js';
import { wirePassage } from '../../server/wire/passages.js';
import { wireTool } from '../../server/wire/tools.js';
import { type Json, startTestServer, stainlessHeaders, type TestServer } from './test-server.js';

const noBlock = 'block-00000000-0000-4000-8000-000000000000';

describe('memory over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  async function anAgent(body: object = {}): Promise<Json> {
    return (await server.call('POST', '/v1/agents', { body })).body;
  }

  async function aBlock(body: object): Promise<Json> {
    return (await server.call('POST', '/v1/blocks/', { body: { label: 'notes', value: '', ...body } })).body;
  }

  it('shows and changes an agent’s blocks by label', async () => {
    const agent = await anAgent({
      memory_blocks: [
        { label: 'human', value: 'Bob' },
        { label: 'other', value: '' },
      ],
    });
    const blocks = `/v1/agents/${agent.id as string}/core-memory/blocks`;

    const changed = await server.call('PATCH', `${blocks}/human`, {
      body: { value: 'Robert', limit: 3000, description: null, metadata: { by: 'me' } },
    });
    expect(changed.body).toMatchObject({
      value: 'Robert',
      limit: 3000,
      description: null,
      metadata: { by: 'me' },
    });
    expect(wireBlock.parse(changed.body)).toEqual(changed.body);
    expect((await server.call('GET', `${blocks}/human`)).body).toEqual(changed.body);
    expect((await server.call('GET', blocks)).body).toMatchObject([{ label: 'human' }, { label: 'other' }]);
    expect((await server.call('GET', `${blocks}?after=${agent.blocks[1].id as string}`)).body).toEqual([]);
    expect(
      (await server.call('GET', `/v1/agents/${agent.id as string}/core-memory`)).body.blocks,
    ).toHaveLength(2);
    expect(await server.call('GET', `${blocks}/nope`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/has no block labelled 'nope'/) },
    });
  });

  it('refuses a value over the limit, and lets it in with a higher one', async () => {
    const { id } = await aBlock({ limit: 3 });
    const url = `/v1/blocks/${id as string}`;

    expect(await server.call('PATCH', url, { body: { value: 'four' } })).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/Exceeds 3 character limit \(requested 4\)/) },
    });
    expect(await server.call('PATCH', url, { body: { value: 'four', limit: 4 } })).toMatchObject({
      status: 200,
      body: { value: 'four' },
    });
  });

  it('refuses a change that was based on an older revision, and says what it is now', async () => {
    const { id } = await aBlock({ value: 'one' });
    const url = `/v1/blocks/${id as string}`;
    const first = await server.call('GET', url);
    const etag = first.headers['etag'] as string;

    const written = await server.call('PATCH', url, {
      body: { value: 'two' },
      headers: { 'if-match': etag },
    });
    const late = await server.call('PATCH', url, { body: { value: 'three' }, headers: { 'if-match': etag } });

    expect(written).toMatchObject({
      status: 200,
      body: { value: 'two', revision: 2 },
      headers: { etag: '"2"' },
    });
    expect(late).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/is at revision 2 now/), revision: 2, value: 'two' },
      headers: { 'x-should-retry': 'false' },
    });
    expect(
      await server.call('PATCH', url, { body: { value: 'x' }, headers: { 'if-match': 'soon' } }),
    ).toMatchObject({
      status: 422,
    });
  });

  it('shares a block among agents: attach, list, detach', async () => {
    const [one, two, block] = [
      await anAgent(),
      await anAgent(),
      await aBlock({ label: 'shared', value: 'v' }),
    ];
    const attach = (agent: Json, verb: string): Promise<Json> =>
      server.call(
        'PATCH',
        `/v1/agents/${agent.id as string}/core-memory/blocks/${verb}/${block.id as string}`,
        {
          // As clients of generation 1 send it: a content type, and nothing of that type.
          headers: { ...stainlessHeaders, 'content-type': 'application/json' },
        },
      );
    const holders = async (): Promise<string[]> =>
      (await server.call('GET', `/v1/blocks/${block.id as string}/agents`)).body.map(
        (agent: Json) => agent.id,
      );

    expect((await attach(one, 'attach')).body.blocks).toMatchObject([{ id: block.id }]);
    await attach(two, 'attach');
    expect(await holders()).toEqual([two.id, one.id]);
    expect((await attach(two, 'detach')).body.blocks).toEqual([]);
    expect(await holders()).toEqual([one.id]);
  });

  it('creates, finds, counts and deletes blocks', async () => {
    const made = await aBlock({
      label: 'findable',
      value: 'x',
      name: 'template',
      tags: ['t'],
      project_id: 'p',
    });

    expect(made).toMatchObject({
      label: 'findable',
      limit: 20000,
      name: 'template',
      tags: ['t'],
      project_id: 'p',
    });
    expect((await server.call('GET', '/v1/blocks/?label=findable')).body).toEqual([made]);
    expect((await server.call('GET', '/v1/blocks/count')).body).toBeGreaterThan(0);
    expect((await server.call('DELETE', `/v1/blocks/${made.id as string}`)).status).toBe(200);
    expect(await server.call('GET', `/v1/blocks/${made.id as string}`)).toMatchObject({ status: 404 });
    expect(await server.call('DELETE', `/v1/blocks/${noBlock}`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/Block with ID .* not found/) },
    });
  });

  it('keeps passages, finds them by meaning and by word, and deletes them', async () => {
    const agent = await anAgent();
    const url = `/v1/agents/${agent.id as string}/archival-memory`;
    const made = await server.call('POST', url, {
      body: { text: 'The cat is called Pixel.', tags: ['pets'], created_at: '2020-01-01T00:00:00Z' },
    });
    await server.call('POST', url, { body: { text: 'The meeting is on Tuesday at ten.' } });

    expect(made.body).toMatchObject([{ text: 'The cat is called Pixel.', tags: ['pets'], embedding: null }]);
    expect(wirePassage.array().parse(made.body)).toEqual(made.body);
    expect((await server.call('GET', url)).body).toMatchObject([
      { text: 'The cat is called Pixel.', created_at: '2020-01-01T00:00:00.000Z' },
      { text: 'The meeting is on Tuesday at ten.' },
    ]);
    expect((await server.call('GET', `${url}?search=tuesday`)).body).toHaveLength(1);
    const found = await server.call(
      'GET',
      `${url}/search?query=${encodeURIComponent('name of the pet')}&top_k=1`,
    );
    expect(found.body).toMatchObject({
      count: 1,
      results: [
        { content: 'The cat is called Pixel.', timestamp: '2020-01-01T00:00:00+00:00', tags: ['pets'] },
      ],
    });
    const late = await server.call(
      'GET',
      `${url}/search?query=cat&start_datetime=2021-01-01T00:00:00Z&tags=pets`,
    );
    expect(late.body.count).toBe(0);

    const passage = `${url}/${made.body[0].id as string}`;
    expect((await server.call('DELETE', passage)).status).toBe(200);
    expect(await server.call('DELETE', passage)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/Passage with ID .* not found/) },
    });
  });

  it('lists tools, and gives them to agents', async () => {
    const agent = await anAgent({ include_base_tools: false });
    const { body: tools } = await server.call('GET', '/v1/tools/?name=archival_memory_search');
    const url = `/v1/agents/${agent.id as string}/tools`;

    expect(wireTool.array().parse(tools)).toEqual(tools);
    const attached = await server.call('PATCH', `${url}/attach/${tools[0].id as string}`);
    expect(attached.body.tools).toMatchObject([{ name: 'archival_memory_search', tool_type: 'letta_core' }]);
    expect((await server.call('GET', url)).body).toEqual(attached.body.tools);
    expect((await server.call('PATCH', `${url}/detach/${tools[0].id as string}`)).body.tools).toEqual([]);
    expect((await server.call('GET', `/v1/tools/${tools[0].id as string}`)).body).toEqual(tools[0]);
    expect((await server.call('GET', '/v1/tools/count')).body).toBeGreaterThan(5);
    const missing = await server.call('PATCH', `${url}/attach/tool-00000000-0000-4000-8000-000000000000`);
    expect(missing).toMatchObject({ status: 404, body: { detail: expect.stringMatching(/Tool not found/) } });
  });

  it('lists models and embeddings by handle', async () => {
    const { body: models } = await server.call('GET', '/v1/models/');
    const { body: embeddings } = await server.call('GET', '/v1/models/embedding');

    expect(models).toContainEqual(expect.objectContaining({ handle: 'perdure/demo', model_type: 'llm' }));
    expect(embeddings).toContainEqual(
      expect.objectContaining({ handle: 'perdure/use-lite', embedding_dim: 512, model_type: 'embedding' }),
    );
  });
});
