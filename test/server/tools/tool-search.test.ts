import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { startTestServer, type TestServer } from '../test-server.js';

const found = z.array(
  z.object({
    tool: z.object({ name: z.string(), tags: z.array(z.string()) }),
    fts_rank: z.number().nullable(),
    vector_rank: z.number().nullable(),
    combined_score: z.number(),
  }),
);

describe('[tools.search] the tool search over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
    for (const [name, says, tag] of [
      ['book_flight', 'Reserve a seat on an aeroplane.', 'travel'],
      ['bake_bread', 'Bake a loaf in the oven.', 'kitchen'],
    ]) {
      const source_code = `def ${name}():\n    """${says}"""\n    return 1\n`;
      await server.call('POST', '/v1/tools/', { body: { source_code, tags: [tag] } });
    }
  });

  afterAll(() => server.close());

  const search = (body: object) => server.read(found, 'POST', '/v1/tools/search', { body });
  const names = async (body: object) => (await search(body)).map(({ tool }) => tool.name);

  it('finds tools by word forms and by meaning', async () => {
    const [best] = await search({ query: 'reserving seats' });

    expect(best).toMatchObject({ tool: { name: 'book_flight' }, fts_rank: 1, vector_rank: 1 });
    expect(await names({ query: 'baked loaves or breads', search_mode: 'fts' })).toEqual(['bake_bread']);
    expect(await names({ query: 'travel by air', search_mode: 'vector', tool_types: ['custom'] })).toEqual([
      'book_flight',
      'bake_bread',
    ]);
  });

  it('filters by type and tag, limits the number, and lists tools without a query', async () => {
    expect(await names({ tool_types: ['custom'] })).toEqual(['bake_bread', 'book_flight']);
    expect(await names({ query: 'bread', tags: ['travel'] })).toEqual(['book_flight']);
    expect(await names({ query: 'bread', tags: ['nothing'] })).toEqual([]);
    expect(await names({ query: 'memory', limit: 2 })).toHaveLength(2);
    expect(await server.call('POST', '/v1/tools/search', { body: { search_mode: 'x' } })).toMatchObject({
      status: 422,
    });
  });
});
