import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Embedder } from '../../activities/deps.js';
import { createIngestions, type Ingestions } from '../../client/ingestions.js';
import { WorldFailure } from '../../core/failures.js';
import { deleteFile, fileText, getFile, type SourceFile } from '../../schema/files/files.js';
import { endFile } from '../../schema/files/ingestion.js';
import { requireJob } from '../../schema/files/jobs.js';
import { listSourcePassages } from '../../schema/files/source-passages.js';
import { waitFor } from '../../stack/waiting.js';
import { sweep, type Swept } from '../../worker/sweep.js';
import { runCanary } from '../support/runtime/canary.js';
import { anEncryptedPdf } from '../support/files/documents.js';
import { anUpload, aSource, ended } from '../support/files/file-fixtures.js';
import { startRuntime, type TestRuntime } from '../support/runtime/runtime.js';
import { createScriptedModels } from '../support/models/scripted-model.js';

/** Runs before each batch. The test embedder answers after it. */
let beforeBatch: () => Promise<void> = () => Promise.resolve();
let batches: (readonly string[])[] = [];

const embedder: Embedder = {
  description: { handle: 'test/embedding', provider: 'test', model: 'embedding', dimensions: 3 },
  async embed(texts) {
    batches.push(texts);
    await beforeBatch();
    return texts.map((text) => [1, text.length, 0]);
  },
};

/** This many passages. Each is a line with its number and the canary. */
function lines(count: number): string {
  const words = Array.from({ length: 20 }, (_, index) => `word${index}`).join(' ');
  return Array.from({ length: count }, (_, index) => `Line ${index} ${runCanary()} ${words}`).join('\n\n');
}

describe('the ingestion of a file', () => {
  let runtime: TestRuntime;
  let ingestions: Ingestions;

  beforeAll(async () => {
    runtime = await startRuntime({
      models: createScriptedModels(),
      embeddings: { resolve: () => embedder },
    });
    ingestions = createIngestions(runtime.temporal, runtime.taskQueue);
    await runtime.startWorker();
  });

  afterAll(() => runtime.close());

  afterEach(() => {
    beforeBatch = () => Promise.resolve();
    batches = [];
  });

  async function ingest(content: string | Buffer, name = `${runCanary()}.md`): Promise<SourceFile> {
    const source = await aSource(runtime.db, {
      name: `${name} ${runCanary()} ${Math.random()}`,
      chunkSize: 100,
    });
    const file = await anUpload(runtime.db, source, { name, content });
    await ingestions.start(file.id);
    return file;
  }

  it('[files.ingest] creates passages with their line numbers, which are found after the last is embedded', async () => {
    const text = lines(70);
    const seen: { found: number; state: string; embedded: number }[] = [];
    const source = await aSource(runtime.db, { chunkSize: 100 });
    const file = await anUpload(runtime.db, source, { name: `${runCanary()}.md`, content: text });
    beforeBatch = async () => {
      const now = await getFile(runtime.db, file.id);
      const found = await listSourcePassages(runtime.db, source.id, {});
      seen.push({ found: found.length, state: now?.state ?? '', embedded: now?.chunksEmbedded ?? 0 });
    };

    await ingestions.start(file.id);
    const done = await ended(runtime.db, file.id);

    expect(done).toMatchObject({ state: 'completed', chunks: 70, chunksEmbedded: 70, error: null });
    expect(await requireJob(runtime.db, file.jobId)).toMatchObject({ state: 'completed', error: null });
    expect(seen).toEqual([
      { found: 0, state: 'embedding', embedded: 0 },
      { found: 0, state: 'embedding', embedded: 32 },
      { found: 0, state: 'embedding', embedded: 64 },
    ]);
    const passages = await listSourcePassages(runtime.db, file.sourceId, {});
    expect(passages.map((passage) => passage.text)).toEqual(text.split('\n\n'));
    expect(passages[1]).toMatchObject({
      sourceId: file.sourceId,
      fileId: file.id,
      archiveId: null,
      embeddingModel: 'test/embedding',
      metadata: { file_name: file.name, first_line: 3, last_line: 3 },
    });
    expect(await fileText(runtime.db, file.id)).toBe(text);
  });

  it('[files.unreadable] [files.jobs] fails with a reason and leaves nothing to be found', async () => {
    const file = await ingest(anEncryptedPdf(), 'secret.pdf');

    const done = await ended(runtime.db, file.id);

    const error = expect.stringMatching(/protected by a password\. Remove the password/);
    expect(done).toMatchObject({ state: 'failed', error });
    expect(await requireJob(runtime.db, file.jobId)).toMatchObject({
      state: 'failed',
      error,
      completedAt: expect.any(Date),
    });
    expect(await listSourcePassages(runtime.db, file.sourceId, {})).toEqual([]);
    expect(batches).toEqual([]);
  });

  it('[files.ingest-outage] waits while the embedder is unavailable and pays for no batch twice', async () => {
    let calls = 0;
    beforeBatch = () => {
      calls += 1;
      if (calls !== 2) return Promise.resolve();
      return Promise.reject(new WorldFailure('Embedding.Unavailable', 'It is away.', { retryable: true }));
    };

    const file = await ingest(lines(40));

    expect(await ended(runtime.db, file.id)).toMatchObject({ state: 'completed', chunks: 40 });
    expect(batches.map((texts) => texts.length)).toEqual([32, 8, 8]);
  });

  it('[files.ingest-outage] fails with the embedder’s reason when it refuses', async () => {
    beforeBatch = () =>
      Promise.reject(new WorldFailure('Embedding.Refused', 'The key was refused.', { retryable: false }));

    const file = await ingest(lines(3));

    expect(await ended(runtime.db, file.id)).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/source's embedding model refused: The key was refused\./),
    });
  });

  it('[files.ingest-cancel] ends at once on a cancel, and late results change nothing', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    beforeBatch = () => held;
    const file = await ingest(lines(3));
    await waitFor(() => (batches.length > 0 ? true : undefined), { timeoutMs: 90_000 });

    await endFile(runtime.db, file.id, { state: 'cancelled', error: 'It was cancelled.' });
    await ingestions.stop(file.id);
    release();

    await waitFor(async () => ((await ingestions.isRunning(file.id)) ? undefined : true), {
      timeoutMs: 90_000,
    });
    expect(await getFile(runtime.db, file.id)).toMatchObject({ state: 'cancelled', chunks: null });
    expect(await requireJob(runtime.db, file.jobId)).toMatchObject({ state: 'cancelled' });
    expect(await listSourcePassages(runtime.db, file.sourceId, {})).toEqual([]);
  });

  it('[files.ingest-cancel] ends by itself when its file is deleted', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    beforeBatch = () => held;
    const file = await ingest(lines(3));
    await waitFor(() => (batches.length > 0 ? true : undefined), { timeoutMs: 90_000 });

    await deleteFile(runtime.db, file.sourceId, file.id);
    release();

    await waitFor(async () => ((await ingestions.isRunning(file.id)) ? undefined : true), {
      timeoutMs: 90_000,
    });
    expect(await requireJob(runtime.db, file.jobId)).toMatchObject({ state: 'cancelled' });
    expect(await listSourcePassages(runtime.db, file.sourceId, {})).toEqual([]);
  });

  async function anUnstartedFile(): Promise<SourceFile> {
    const file = await anUpload(runtime.db, await aSource(runtime.db, { chunkSize: 100 }), {
      content: lines(2),
    });
    await runtime.db
      .updateTable('files')
      .set({ touched_at: new Date(Date.now() - 60_000) })
      .where('id', '=', file.id)
      .execute();
    return file;
  }

  it('[files.sweep] is started once by the sweep if it never began', async () => {
    const file = await anUnstartedFile();

    const swept = await sweep(runtime);

    expect(swept).toEqual({ threads: 0, files: 1 });
    expect(await ended(runtime.db, file.id)).toMatchObject({ state: 'completed', chunks: 2 });
    expect((await sweep(runtime)).files).toBe(0);
  });

  it('[files.sweep] is started by one sweep at a time, even if other parts of the sweep fail', async () => {
    const files = [await anUnstartedFile(), await anUnstartedFile()];
    const asked: string[] = [];
    const failures: unknown[] = [];
    let other: Swept | undefined;
    const failing: Ingestions = {
      ...ingestions,
      start: async (fileId) => {
        asked.push(fileId);
        other ??= await sweep(runtime);
        if (asked.length === 1) throw new Error('Temporal is away');
        await ingestions.start(fileId);
      },
    };
    const schedules = { ...runtime.schedules, catchUp: () => Promise.reject(new Error('no schedules')) };

    const swept = await sweep({
      ...runtime,
      schedules,
      ingestions: failing,
      onFailed: (error) => failures.push(error),
    });

    expect(asked.sort()).toEqual(files.map(({ id }) => id).sort());
    expect({ swept, other }).toEqual({ swept: { threads: 0, files: 1 }, other: { threads: 0, files: 0 } });
    expect(failures).toHaveLength(2);
    expect(failures).toEqual(
      expect.arrayContaining([new Error('Temporal is away'), new Error('no schedules')]),
    );
    await sweep(runtime);
    for (const { id } of files) expect(await ended(runtime.db, id)).toMatchObject({ state: 'completed' });
  });
});
