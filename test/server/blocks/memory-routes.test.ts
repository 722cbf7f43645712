import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wireAgent, type WireAgent } from '../../../server/agents/agents-wire.js';
import { wireBlock, type WireBlock } from '../../../server/blocks/blocks-wire.js';
import { wirePassage } from '../../../server/archives/passages-wire.js';
import { wireTool } from '../../../server/tools/tools-wire.js';
import { type Answer, startTestServer, stainlessHeaders, type TestServer } from '../test-server.js';

const noBlock = 'block-00000000-0000-4000-8000-000000000000';

describe('memory over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  function aBlock(body: object): Promise<WireBlock> {
    return server.read(wireBlock, 'POST', '/v1/blocks/', { body: { label: 'notes', value: '', ...body } });
  }

  it('[rest.core-memory] shows and changes an agent’s blocks by label', async () => {
    const agent = await server.anAgent({
      memory_blocks: [
        { label: 'human', value: 'Bob' },
        { label: 'other', value: '' },
      ],
    });
    const blocks = `/v1/agents/${agent.id}/core-memory/blocks`;

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
    expect((await server.call('GET', `${blocks}?after=${agent.blocks[1]!.id}`)).body).toEqual([]);
    expect((await server.call('GET', `/v1/agents/${agent.id}/core-memory`)).body).toMatchObject({
      blocks: [{ label: 'human' }, { label: 'other' }],
    });
    expect(await server.call('GET', `${blocks}/nope`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/has no block labelled 'nope'/) },
    });
  });

  it('[rest.errors] refuses a value over the limit and accepts it with a higher limit', async () => {
    const { id } = await aBlock({ limit: 3 });
    const url = `/v1/blocks/${id}`;

    expect(await server.call('PATCH', url, { body: { value: 'four' } })).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/Exceeds 3 character limit \(requested 4\)/) },
    });
    expect(await server.call('PATCH', url, { body: { value: 'four', limit: 4 } })).toMatchObject({
      status: 200,
      body: { value: 'four' },
    });
  });

  it('[rest.blocks] refuses a change based on an older revision and returns the current one', async () => {
    const { id } = await aBlock({ value: 'one' });
    const url = `/v1/blocks/${id}`;
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

  it('[rest.core-memory] shares a block among agents: attach, list, detach', async () => {
    const [one, two, block] = [
      await server.anAgent(),
      await server.anAgent(),
      await aBlock({ label: 'shared', value: 'v' }),
    ];
    const attach = (agent: WireAgent, verb: string): Promise<Answer> =>
      server.call('PATCH', `/v1/agents/${agent.id}/core-memory/blocks/${verb}/${block.id}`, {
        // 1.x clients send a content type without a body.
        headers: { ...stainlessHeaders, 'content-type': 'application/json' },
      });
    const holders = async (): Promise<string[]> => {
      const url = `/v1/blocks/${block.id}/agents`;
      return (await server.read(wireAgent.array(), 'GET', url)).map((agent) => agent.id);
    };

    expect((await attach(one, 'attach')).body).toMatchObject({ blocks: [{ id: block.id }] });
    await attach(two, 'attach');
    expect(await holders()).toEqual([two.id, one.id]);
    expect((await attach(two, 'detach')).body).toMatchObject({ blocks: [] });
    expect(await holders()).toEqual([one.id]);
  });

  it('[rest.blocks] creates, finds, counts and deletes blocks', async () => {
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
    expect((await server.call('DELETE', `/v1/blocks/${made.id}`)).status).toBe(200);
    expect(await server.call('GET', `/v1/blocks/${made.id}`)).toMatchObject({ status: 404 });
    expect(await server.call('DELETE', `/v1/blocks/${noBlock}`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/Block with ID .* not found/) },
    });
  });

  it('[rest.archival] stores passages, finds them by meaning and by word, and deletes them', async () => {
    const agent = await server.anAgent();
    const url = `/v1/agents/${agent.id}/archival-memory`;
    const made = await server.read(wirePassage.array(), 'POST', url, {
      body: { text: 'The cat is called Pixel.', tags: ['pets'], created_at: '2020-01-01T00:00:00Z' },
    });
    await server.call('POST', url, { body: { text: 'The meeting is on Tuesday at ten.' } });

    expect(made).toMatchObject([{ text: 'The cat is called Pixel.', tags: ['pets'], embedding: null }]);
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
    expect(late.body).toEqual({ results: [], count: 0 });

    const passage = `${url}/${made[0]!.id}`;
    expect((await server.call('DELETE', passage)).status).toBe(200);
    expect(await server.call('DELETE', passage)).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/Passage with ID .* not found/) },
    });
  });

  it('[rest.tools] lists tools, and attaches them to agents and detaches them', async () => {
    const agent = await server.anAgent({ include_base_tools: false });
    const [tool] = await server.read(wireTool.array(), 'GET', '/v1/tools/?name=archival_memory_search');
    const id = tool!.id;
    const url = `/v1/agents/${agent.id}/tools`;

    const attached = await server.read(wireAgent, 'PATCH', `${url}/attach/${id}`);
    expect(attached.tools).toMatchObject([{ name: 'archival_memory_search', tool_type: 'letta_core' }]);
    expect((await server.call('GET', url)).body).toEqual(attached.tools);
    expect((await server.read(wireAgent, 'PATCH', `${url}/detach/${id}`)).tools).toEqual([]);
    expect((await server.call('GET', `/v1/tools/${id}`)).body).toEqual(tool);
    expect((await server.call('GET', '/v1/tools/count')).body).toBeGreaterThan(5);
    const missing = await server.call('PATCH', `${url}/attach/tool-00000000-0000-4000-8000-000000000000`);
    expect(missing).toMatchObject({ status: 404, body: { detail: expect.stringMatching(/Tool not found/) } });
  });

  it('[model.listed] lists models and embeddings by handle', async () => {
    const { body: models } = await server.call('GET', '/v1/models/');
    const { body: embeddings } = await server.call('GET', '/v1/models/embedding');

    expect(models).toContainEqual(expect.objectContaining({ handle: 'perdure/demo', model_type: 'llm' }));
    expect(embeddings).toContainEqual(
      expect.objectContaining({ handle: 'perdure/use-lite', embedding_dim: 512, model_type: 'embedding' }),
    );
  });

  it('[pins.tools] [pins.limit] pins an agent’s passages up to a limit, and unpins them', async () => {
    const agent = await server.anAgent();
    const url = `/v1/agents/${agent.id}/archival-memory`;
    const texts = Array.from({ length: 11 }, (_, index) => `Fact ${index}`);
    const ids: string[] = [];
    for (const text of texts) {
      const [passage] = await server.read(wirePassage.array(), 'POST', url, { body: { text } });
      ids.push(passage!.id);
    }
    const pinned = async () =>
      (await server.read(wirePassage.array(), 'GET', `${url}/pinned`)).map((passage) => passage.text);

    for (const id of ids.slice(0, 10)) await server.call('PUT', `${url}/${id}/pin`);
    const again = await server.read(wirePassage.array(), 'PUT', `${url}/${ids[0]!}/pin`);

    expect(again.map((passage) => passage.text)).toEqual(texts.slice(0, 10));
    expect(await server.call('PUT', `${url}/${ids[10]!}/pin`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/^10 passages are pinned already/) },
    });
    expect(await server.call('PUT', `${url}/passage-${noBlock.slice('block-'.length)}/pin`)).toMatchObject({
      status: 404,
    });
    await server.call('DELETE', `${url}/${ids[0]!}/pin`);
    await server.call('DELETE', `${url}/${ids[0]!}/pin`);
    await server.call('DELETE', `${url}/${ids[1]!}`);
    expect(await pinned()).toEqual(texts.slice(2, 10));
    expect((await server.call('PUT', `${url}/${ids[10]!}/pin`)).status).toBe(200);
    expect(await pinned()).toEqual([...texts.slice(2, 10), texts[10]]);
  });
});
