import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countMemory } from '../../../schema/threads/epochs.js';
import {
  beginReading,
  finishReading,
  publishPassages,
  saveChunkEmbeddings,
  storeRead,
} from '../../../schema/files/ingestion.js';
import type { Source } from '../../../schema/files/sources.js';
import { wireAgent } from '../../../server/agents/agents-wire.js';
import { wireAgentFiles } from '../../../server/files/agent-files-wire.js';
import { wireSource } from '../../../server/files/sources-wire.js';
import { anUpload, aSource } from '../../support/files/file-fixtures.js';
import { startTestServer, type TestServer } from '../test-server.js';

describe('an agent’s sources over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(() => server.close());

  /** A source with one file that has been ingested into these passages. */
  async function anIngestedSource(
    passages: readonly string[],
    embedded?: { model: string; vector: number[] },
  ) {
    const source = await aSource(server.db, {});
    const { id } = await anUpload(server.db, source, { name: 'rules.md', content: passages.join('\n') });
    await beginReading(server.db, id);
    const chunks = passages.map((text, index) => ({
      index,
      text,
      firstLine: index + 1,
      lastLine: index + 1,
    }));
    await storeRead(server.db, id, {
      parts: [{ index: 0, firstLine: 1, text: passages.join('\n') }],
      chunks,
    });
    await finishReading(server.db, id, { chunks: chunks.length, lines: chunks.length, characters: 0 });
    if (embedded !== undefined) {
      const vectors = chunks.map(({ index }) => ({ index, vector: embedded.vector }));
      await saveChunkEmbeddings(server.db, id, { model: embedded.model, vectors });
    }
    await publishPassages(server.db, id);
    return source;
  }

  const found = async (agentId: string, query: string): Promise<unknown> => {
    const url = `/v1/agents/${agentId}/archival-memory/search?query=${encodeURIComponent(query)}`;
    return (await server.call('GET', url)).body;
  };

  it.each(['sources', 'folders'])(
    '[files.attach] attaches, lists and detaches them as %s',
    async (family) => {
      const [one, two] = [await aSource(server.db), await aSource(server.db)];
      const agent = await server.anAgent();
      const url = `/v1/agents/${agent.id}/${family}`;
      const change = (verb: string, source: Source) =>
        server.read(wireAgent, 'PATCH', `${url}/${verb}/${source.id}`);
      const list = async (query = ''): Promise<string[]> =>
        (await server.read(wireSource.array(), 'GET', `${url}${query}`)).map((source) => source.id);

      await change('attach', two);
      await change('attach', one);
      const attached = await change('attach', one);

      expect(attached.sources.map((source) => source.id)).toEqual([two.id, one.id]);
      expect(await list()).toEqual([one.id, two.id]);
      expect(await list(`?limit=1&after=${one.id}`)).toEqual([two.id]);
      expect((await server.call('GET', `/v1/folders/${one.id}/agents`)).body).toEqual([agent.id]);
      expect((await change('detach', one)).sources.map((source) => source.id)).toEqual([two.id]);
      expect(await list()).toEqual([two.id]);
      const missing = `source-${randomUUID()}`;
      expect(await server.call('PATCH', `${url}/attach/${missing}`)).toMatchObject({ status: 404 });
      expect(await server.call('PATCH', `${url}/detach/${missing}`)).toMatchObject({ status: 404 });
      expect(await server.call('GET', `/v1/agents/agent-${randomUUID()}/${family}`)).toMatchObject({
        status: 404,
      });
    },
  );

  it('[files.attach] attaches sources to a new agent and replaces them in an update', async () => {
    const [one, two] = [await aSource(server.db), await aSource(server.db)];

    const agent = await server.anAgent({ source_ids: [one.id], folder_ids: [one.id] });
    const changed = await server.read(wireAgent, 'PATCH', `/v1/agents/${agent.id}`, {
      body: { folder_ids: [two.id] },
    });

    expect(agent.sources.map((source) => source.id)).toEqual([one.id]);
    expect(changed.sources.map((source) => source.id)).toEqual([two.id]);
    expect(
      await server.call('POST', '/v1/agents', { body: { source_ids: [`source-${randomUUID()}`] } }),
    ).toMatchObject({
      status: 404,
    });
  });

  it('[files.search] searches attached sources with archival memory, and counts their passages', async () => {
    const agent = await server.anAgent();
    const source = await anIngestedSource(['Night work is paid double.', 'Dogs may come along.']);
    await server.call('POST', `/v1/agents/${agent.id}/archival-memory`, { body: { text: 'I like dogs.' } });
    const figures = async (): Promise<number> =>
      (await countMemory(server.db, { id: agent.id, agentId: agent.id })).archivalPassages;

    expect(await found(agent.id, 'night work')).toMatchObject({ count: 1 });
    expect(await figures()).toBe(1);
    await server.call('PATCH', `/v1/agents/${agent.id}/sources/attach/${source.id}`);
    const both = [
      expect.objectContaining({ content: 'Night work is paid double.' }),
      expect.objectContaining({ content: 'I like dogs.' }),
    ];
    expect(await found(agent.id, 'night work')).toEqual({ count: 2, results: expect.arrayContaining(both) });
    expect(await figures()).toBe(3);
    expect((await server.call('GET', `/v1/agents/${agent.id}/archival-memory`)).body).toMatchObject([
      { text: 'I like dogs.' },
    ]);
    await server.call('PATCH', `/v1/agents/${agent.id}/sources/detach/${source.id}`);
    expect(await figures()).toBe(1);
  });

  it('[files.search] finds passages by word when their embedding model is gone', async () => {
    const agent = await server.anAgent();
    const source = await anIngestedSource(['Wages rise in May.'], { model: 'gone/model', vector: [1, 0] });
    await server.db
      .updateTable('sources')
      .set({ embedding: 'gone/model' })
      .where('id', '=', source.id)
      .execute();
    await server.call('PATCH', `/v1/agents/${agent.id}/sources/attach/${source.id}`);

    expect(await found(agent.id, 'wages')).toMatchObject({ results: [{ content: 'Wages rise in May.' }] });
    expect(await found(agent.id, 'income')).toMatchObject({ results: [] });
  });

  it('[files.open] lists files by page, and opens and closes them within the agent’s limit', async () => {
    const agent = await server.anAgent({ max_files_open: 1 });
    const sources = [await anIngestedSource(['One.', 'Two.']), await anIngestedSource(['Three.'])];
    for (const { id } of sources) await server.call('PATCH', `/v1/agents/${agent.id}/folders/attach/${id}`);
    const url = `/v1/agents/${agent.id}/files`;
    const list = (query = '') => server.read(wireAgentFiles, 'GET', `${url}${query}`);
    const [first, second] = (await list()).files;

    const page = await list('?limit=1');
    expect(page).toMatchObject({ files: [{ file_id: first!.file_id }], has_more: true });
    expect(await list(`?limit=1&cursor=${page.next_cursor!}`)).toMatchObject({
      files: [{ file_id: second!.file_id }],
      has_more: false,
      next_cursor: null,
    });
    // Attaching a source opens its files until the limit.
    expect((await list('?is_open=true')).files.map(({ file_id: id }) => id)).toEqual([second!.file_id]);
    expect((await server.call('PATCH', `${url}/${first!.file_id}/open`)).body).toEqual(['rules.md']);
    expect((await server.call('PATCH', `${url}/${second!.file_id}/open`)).body).toEqual(['rules.md']);
    expect(await list('?is_open=true')).toMatchObject({
      files: [
        {
          file_id: second!.file_id,
          folder_id: sources[1]!.id,
          folder_name: sources[1]!.name,
          is_open: true,
          visible_content: '[Viewing file start (out of 1 lines)]\n1: Three.',
          start_line: 1,
          end_line: 1,
          last_accessed_at: expect.any(String),
        },
      ],
    });
    expect(await server.call('PATCH', `${url}/${second!.file_id}/close`)).toMatchObject({ status: 200 });
    expect((await list('?is_open=true')).files).toEqual([]);
    await server.call('PATCH', `${url}/${first!.file_id}/open`);
    expect((await server.call('PATCH', `${url}/close-all`)).body).toEqual(['rules.md']);
    expect(await server.call('PATCH', `${url}/file-${randomUUID()}/open`)).toMatchObject({ status: 404 });
  });

  it('[files.blocks] shows open files as blocks in the agent’s memory', async () => {
    const source = await anIngestedSource(['One.', 'Two.']);
    const other = await anIngestedSource(['Three.']);
    const agent = await server.anAgent({ source_ids: [source.id, other.id] });
    const blocks = async () =>
      (await server.read(wireAgent, 'GET', `/v1/agents/${agent.id}`)).memory.file_blocks;
    const url = `/v1/agents/${agent.id}/files`;
    expect((await blocks()).map((block) => block.source_id).sort()).toEqual([source.id, other.id].sort());
    await server.call('PATCH', `${url}/close-all`);
    expect(await blocks()).toEqual([]);
    const { files } = await server.read(wireAgentFiles, 'GET', url);
    const file = files.find((each) => each.folder_id === source.id)!;

    await server.call('PATCH', `${url}/${file.file_id}/open`);

    const expected = {
      id: `block-${file.file_id.slice('file-'.length)}`,
      file_id: file.file_id,
      source_id: source.id,
      label: `${source.name}/rules.md`,
      value: '[Viewing file start (out of 2 lines)]\n1: One.\n2: Two.',
      is_open: true,
      read_only: true,
      limit: expect.any(Number),
      last_accessed_at: expect.any(String),
    };
    expect(await blocks()).toMatchObject([expected]);
    const listed = await server.read(wireAgent.array(), 'GET', '/v1/agents/?limit=100');
    expect(listed.find(({ id }) => id === agent.id)?.memory.file_blocks).toMatchObject([expected]);
    await server.call('PATCH', `${url}/close-all`);
    expect(await blocks()).toEqual([]);
  });
});
