import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { finishReading, beginReading, publishPassages, storeRead } from '../../../schema/files/ingestion.js';
import { wireFile, type WireFile, wireJob } from '../../../server/files/files-wire.js';
import { wirePassage } from '../../../server/archives/passages-wire.js';
import { wireSource, type WireSource } from '../../../server/files/sources-wire.js';
import {
  type Answer,
  fernHeaders,
  stainlessHeaders,
  startTestServer,
  type TestServer,
} from '../test-server.js';

const families = ['sources', 'folders'] as const;
const noSource = `source-${randomUUID()}`;

describe('sources over REST', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ settings: { model: 'perdure/demo', fileLimitMb: 1 } });
  });

  afterAll(() => server.close());

  function aSource(body: object = {}, family: (typeof families)[number] = 'sources'): Promise<WireSource> {
    return server.read(wireSource, 'POST', `/v1/${family}/`, {
      body: { name: `s ${randomUUID()}`, ...body },
    });
  }

  async function upload(
    url: string,
    file: { name?: string; content: string | Buffer },
    headers: Record<string, string> = stainlessHeaders,
  ): Promise<Answer> {
    const form = new FormData();
    form.set('file', new Blob([file.content], { type: 'text/markdown' }), file.name ?? 'notes.md');
    const request = new Response(form);
    const response = await server.app.inject({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': request.headers.get('content-type') ?? '' },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    const body: unknown = JSON.parse(response.body);
    return { status: response.statusCode, body, headers: response.headers };
  }

  async function aFile(source: WireSource, name = 'notes.md', content = 'Some words.'): Promise<WireFile> {
    const { status, body } = await upload(`/v1/folders/${source.id}/upload`, { name, content });
    expect(status).toBe(200);
    return wireFile.parse(body);
  }

  /** Ingests a file as a worker would, with one word per passage. */
  async function ingest(fileId: string, words: readonly string[]): Promise<void> {
    await beginReading(server.db, fileId);
    const chunks = words.map((text, index) => ({ index, text, firstLine: index + 1, lastLine: index + 1 }));
    const parts = [{ index: 0, firstLine: 1, text: words.join('\n') }];
    await storeRead(server.db, fileId, { parts, chunks });
    await finishReading(server.db, fileId, { chunks: words.length, lines: words.length, characters: 0 });
    await publishPassages(server.db, fileId);
  }

  it.each(families)('[files.sources] creates, reads, changes, finds and deletes %s', async (family) => {
    const name = `handbook ${randomUUID()}`;
    const made = await aSource(
      { name, embedding: 'letta/letta-free', instructions: 'Look here first.', embedding_chunk_size: 200 },
      family,
    );
    const url = `/v1/${family}/${made.id}`;

    expect(made).toMatchObject({
      name,
      instructions: 'Look here first.',
      description: null,
      embedding_config: { handle: 'perdure/use-lite', embedding_chunk_size: 200 },
    });
    expect((await server.call('GET', url)).body).toEqual(made);
    expect((await server.call('GET', `/v1/${family}/name/${encodeURIComponent(name)}`)).body).toBe(made.id);
    const changed = await server.read(wireSource, 'PATCH', url, {
      body: { description: 'All rules.', metadata: { by: 'me' } },
    });
    expect(changed).toEqual({
      ...made,
      description: 'All rules.',
      metadata: { by: 'me' },
      updated_at: expect.any(String),
    });
    expect(await server.call('DELETE', url)).toMatchObject({ status: 200, body: null });
    expect(await server.call('GET', url)).toMatchObject({
      status: 404,
      body: { detail: `Source ${made.id} not found. List the sources (folders) to see which there are.` },
    });
  });

  it('[files.sources] lists and counts sources and folders as the same things', async () => {
    const before = await server.read(z.number(), 'GET', '/v1/sources/count');
    const made = [await aSource(), await aSource({}, 'folders'), await aSource()];
    const list = (query: string): Promise<WireSource[]> =>
      server.read(wireSource.array(), 'GET', `/v1/folders?limit=2&after=${query}`);

    expect(await server.read(z.number(), 'GET', '/v1/folders/count')).toBe(before + 3);
    const rest = await list(made[0]!.id);
    expect(rest.map((source) => source.id)).toEqual([made[1]!.id, made[2]!.id]);
    expect(await list(made[2]!.id)).toEqual([]);
    expect(await list(noSource)).toEqual([]);
  });

  it('[files.sources] requires unique names and a valid chunk overlap', async () => {
    const one = await aSource();
    const two = await aSource();

    expect(await server.call('POST', '/v1/sources', { body: { name: one.name } })).toMatchObject({
      status: 409,
      body: {
        detail: `A source named '${one.name}' already exists. Use that one, or choose another name.`,
      },
    });
    expect(await server.call('PATCH', `/v1/sources/${two.id}`, { body: { name: one.name } })).toMatchObject({
      status: 409,
    });
    expect(await server.call('POST', '/v1/sources', { body: { name: '  ' } })).toMatchObject({ status: 422 });
    expect(
      await server.call('POST', '/v1/sources', {
        body: { name: 'x', embedding_chunk_size: 100, embedding_chunk_overlap: 51 },
      }),
    ).toMatchObject({
      status: 422,
      body: { detail: 'body.embedding_chunk_overlap: must be at most half of embedding_chunk_size' },
    });
  });

  it('[files.upload] stores the bytes, starts the ingestion and reports its progress', async () => {
    const source = await aSource();
    const content = 'x'.repeat(700_000);

    const file = await aFile(source, '../../etc/notes.md', content);

    expect(file).toMatchObject({
      source_id: source.id,
      file_name: 'notes.md',
      original_file_name: 'notes.md',
      file_type: 'text/markdown',
      file_size: 700_000,
      processing_status: 'pending',
      total_chunks: null,
    });
    expect(server.started).toContain(file.id);
    const bytes = await server.db
      .selectFrom('file_bytes')
      .select('bytes')
      .where('file_id', '=', file.id)
      .orderBy('index')
      .execute();
    expect(Buffer.concat(bytes.map((row) => row.bytes)).toString()).toBe(content);
    await ingest(file.id, ['one', 'two', 'three']);
    const url = `/v1/sources/${source.id}/files/${file.id}`;
    expect((await server.call('GET', url)).body).toMatchObject({
      processing_status: 'completed',
      total_chunks: 3,
      content: null,
    });
    expect((await server.call('GET', `${url}?include_content=true`)).body).toMatchObject({
      content: 'one\ntwo\nthree',
    });
    const passages = `/v1/sources/${source.id}/passages?limit=2`;
    const first = await server.read(wirePassage.array(), 'GET', passages);
    const rest = await server.read(wirePassage.array(), 'GET', `${passages}&after=${first[1]!.id}`);
    expect(
      [...first, ...rest].map((passage) => [passage.text, passage.file_name, passage.source_id]),
    ).toEqual([
      ['one', 'notes.md', source.id],
      ['two', 'notes.md', source.id],
      ['three', 'notes.md', source.id],
    ]);
  });

  it('[files.upload] handles a second file of the same name as requested', async () => {
    const source = await aSource();
    const url = `/v1/folders/${source.id}/upload`;
    const first = await aFile(source, 'a.md', 'one');
    const again = async (query: string): Promise<Answer> =>
      upload(`${url}?${query}`, { name: 'a.md', content: 'two' });

    expect(await again('')).toMatchObject({ body: { file_name: 'a_(1).md', original_file_name: 'a.md' } });
    expect(await again('duplicate_handling=suffix')).toMatchObject({ body: { file_name: 'a_(2).md' } });
    expect(await again('duplicate_handling=skip')).toMatchObject({ body: { id: first.id, file_size: 3 } });
    expect(await again('duplicate_handling=error')).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/file named 'a\.md' already exists/) },
    });
    expect(await again('name=b.md')).toMatchObject({ body: { file_name: 'b.md' } });
    await ingest(first.id, ['old']);
    const replaced = wireFile.parse((await again('duplicate_handling=replace')).body);
    expect(replaced).toMatchObject({ file_name: 'a.md' });
    expect(await server.call('GET', `/v1/sources/${source.id}/files/${first.id}`)).toMatchObject({
      status: 404,
    });
    expect((await server.call('GET', `/v1/sources/${source.id}/passages`)).body).toEqual([]);
    const names = await server.read(wireFile.array(), 'GET', `/v1/folders/${source.id}/files?limit=2`);
    expect(names.map((file) => file.file_name)).toEqual(['a.md', 'b.md']);
  });

  it('[files.upload-limit] refuses a file over the limit and stores none of it', async () => {
    const source = await aSource();
    const spooled = async (): Promise<number> =>
      (await readdir(tmpdir())).filter((name) => name.startsWith(`perdure-upload-${process.pid}-`)).length;
    const before = await spooled();
    const refusal = {
      status: 413,
      body: {
        detail:
          'The file is larger than 1 MB, the most that this server takes. Split it, or raise PERDURE_FILE_LIMIT_MB on the server.',
      },
    };

    const small = await upload(`/v1/sources/${source.id}/upload`, { content: 'x'.repeat(1_048_577) });
    const large = await upload(`/v1/sources/${source.id}/upload`, { content: Buffer.alloc(3_000_000) });

    expect(small).toMatchObject(refusal);
    expect(large).toMatchObject(refusal);
    expect((await server.call('GET', `/v1/sources/${source.id}/files`)).body).toEqual([]);
    expect(await spooled()).toBe(before);
  });

  it('[files.upload] refuses a request without a file and says how to send one', async () => {
    const source = await aSource();
    const url = `/v1/sources/${source.id}/upload`;
    const form = new Response(new FormData());
    const empty = await server.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': form.headers.get('content-type') ?? '' },
      payload: await form.text(),
    });

    expect(await server.call('POST', url, { body: { file: 'x' } })).toMatchObject({
      status: 415,
      body: { detail: expect.stringMatching(/as multipart\/form-data/) },
    });
    expect(empty.statusCode).toBe(422);
    expect(empty.json()).toMatchObject({ detail: expect.stringMatching(/in a form part named `file`/) });
    expect(await upload(`/v1/sources/${noSource}/upload`, { content: 'x' })).toMatchObject({ status: 404 });
  });

  it('[files.upload-shape] returns a job to older clients and a file to newer ones', async () => {
    const source = await aSource();
    const as = async (headers: Record<string, string>, family = 'sources'): Promise<unknown> =>
      (await upload(`/v1/${family}/${source.id}/upload`, { content: 'x' }, headers)).body;
    const job = { id: expect.stringMatching(/^job-/), status: 'created', processing_status: 'pending' };
    const file = { id: expect.stringMatching(/^file-/), processing_status: 'pending' };

    expect(await as(fernHeaders)).toMatchObject(job);
    expect(await as({ 'x-fern-sdk-version': '0.1.173' })).toMatchObject(job);
    expect(await as({})).toMatchObject(job);
    expect(await as({ 'x-fern-sdk-version': '0.1.174' })).toMatchObject(file);
    expect(await as({ 'x-fern-sdk-version': '0.1.324' }, 'folders')).toMatchObject(file);
    expect(await as(stainlessHeaders)).toMatchObject(file);
    expect(await as({}, 'folders')).toMatchObject(file);
  });

  it('[files.jobs] reports a file’s progress as a job that can be listed, cancelled and deleted', async () => {
    const source = await aSource();
    const jobs: string[] = [];
    for (const content of ['one', 'two', 'three']) {
      const { body } = await upload(`/v1/sources/${source.id}/upload`, { content }, fernHeaders);
      jobs.push(wireJob.parse(body).id);
    }
    const list = async (path: string): Promise<string[]> =>
      (await server.read(wireJob.array(), 'GET', path)).map((job) => job.id);
    const url = `/v1/jobs/${jobs[0]!}`;
    const made = await server.read(wireJob, 'GET', url);
    const fileId = z.string().parse(made.metadata['file_id']);

    expect(made).toMatchObject({
      status: 'created',
      job_type: 'job',
      completed_at: null,
      metadata: { filename: 'notes.md', source_id: source.id, total_chunks: null, chunks_embedded: 0 },
    });
    expect(await list(`/v1/jobs?source_id=${source.id}&limit=2`)).toEqual([jobs[2], jobs[1]]);
    expect(await list(`/v1/jobs?source_id=${source.id}&limit=2&after=${jobs[1]!}`)).toEqual([jobs[0]]);
    await ingest(fileId, ['word']);
    expect((await server.call('GET', url)).body).toMatchObject({
      status: 'completed',
      completed_at: expect.any(String),
      metadata: { total_chunks: 1 },
    });
    expect(await list(`/v1/jobs/active?source_id=${source.id}`)).toEqual([jobs[2], jobs[1]]);
    const cancelled = await server.read(wireJob, 'PATCH', `/v1/jobs/${jobs[1]!}/cancel`);
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      metadata: { error: expect.stringMatching(/was cancelled/) },
    });
    expect((await server.call('PATCH', `${url}/cancel`)).body).toMatchObject({ status: 'completed' });
    expect((await server.call('DELETE', url)).body).toMatchObject({ id: jobs[0] });
    expect(await server.call('GET', url)).toMatchObject({ status: 404 });
    expect(await server.call('GET', '/v1/jobs/x')).toMatchObject({ status: 422 });
  });

  it('[files.sources] reports the sizes of sources, and deletes them with their files', async () => {
    const source = await aSource();
    const file = await aFile(source);
    await ingest(file.id, ['word']);

    const { body } = await server.call(
      'GET',
      '/v1/sources/metadata?include_detailed_per_source_metadata=true',
    );
    expect(body).toMatchObject({
      total_sources: expect.any(Number),
      sources: expect.arrayContaining([
        {
          source_id: source.id,
          source_name: source.name,
          file_count: 1,
          total_size: 11,
          files: [{ file_id: file.id, file_name: 'notes.md', file_size: 11 }],
        },
      ]),
    });
    expect((await server.call('GET', '/v1/sources/metadata')).body).toMatchObject({ sources: [] });
    const deleted = await server.app.inject({ method: 'DELETE', url: `/v1/sources/${source.id}/${file.id}` });
    expect(deleted.statusCode).toBe(204);
    expect(await server.call('DELETE', `/v1/folders/${source.id}/${file.id}`)).toMatchObject({ status: 404 });
    await aFile(source);
    await server.call('DELETE', `/v1/sources/${source.id}`);
    const left = await server.db
      .selectFrom('files')
      .select('id')
      .where('source_id', '=', source.id)
      .execute();
    expect(left).toEqual([]);
  });
});
