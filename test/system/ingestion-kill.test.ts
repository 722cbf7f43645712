import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createIngestions } from '../../client/ingestions.js';
import { fileText } from '../../schema/files/files.js';
import { requireJob } from '../../schema/files/jobs.js';
import { listSourcePassages } from '../../schema/files/source-passages.js';
import { aPdf } from '../support/documents.js';
import { anUpload, aSource, ended } from '../support/given-files.js';
import { type Lanes, openLanes } from '../support/lanes.js';
import type { TestRuntime } from '../support/runtime.js';
import { spawnWorker, type WorkerProcess } from '../support/worker-process.js';

const kills: readonly { when: string; freezeAt: string }[] = [
  { when: 'before it is read', freezeAt: 'before:readFile:1' },
  { when: 'while it is read', freezeAt: 'sql:1:insert into "file_chunks"' },
  { when: 'with its chunks stored and the activity unacknowledged', freezeAt: 'after:readFile:1' },
  { when: 'while a batch is stored', freezeAt: 'sql:2:update file_chunks set embedding' },
  { when: 'between batches', freezeAt: 'after:embedChunks:2' },
  { when: 'while its passages are published', freezeAt: 'sql:1:insert into passages' },
  { when: 'with its passages published and the activity unacknowledged', freezeAt: 'after:publishFile:1' },
];

/** What is left of an ingestion, but for ids that are random and times. */
async function ingestWith(runtime: TestRuntime, pdf: Buffer, freezeAt: string): Promise<object> {
  const env = {
    DATABASE_URL: runtime.databaseUrl,
    TEMPORAL_ADDRESS: runtime.address,
    TEMPORAL_NAMESPACE: runtime.namespace,
    PERDURE_TASK_QUEUE: runtime.taskQueue,
    OPENAI_BASE_URL: 'http://127.0.0.1:9',
  };
  const source = await aSource(runtime.db);
  const file = await anUpload(runtime.db, source, { name: 'handbook.pdf', content: pdf });
  const first = spawnWorker({ ...env, FREEZE_AT: freezeAt });
  const workers: WorkerProcess[] = [first];
  try {
    await first.ready;
    await createIngestions(runtime.temporal, runtime.taskQueue).start(file.id);
    if (freezeAt !== '') {
      await first.frozen;
      workers.push(spawnWorker({ ...env, FREEZE_AT: '' }));
      await workers[1]!.ready;
      await first.kill();
    }
    const { state, error, chunks, chunksEmbedded } = await ended(runtime.db, file.id);
    const job = await requireJob(runtime.db, file.jobId);
    const passages = await listSourcePassages(runtime.db, source.id, {});
    const waiting = await runtime.db.selectFrom('file_chunks').selectAll().execute();
    return {
      file: { state, error, chunks, chunksEmbedded },
      job: job.state,
      text: await fileText(runtime.db, file.id),
      passages: passages.map(({ text, metadata, embeddingModel }) => ({ text, metadata, embeddingModel })),
      ids: new Set(passages.map((passage) => passage.id)).size,
      waiting: waiting.length,
      errors: workers.flatMap((worker) => worker.errors),
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
  }
}

describe('kill -9 of the worker in the middle of an ingestion', () => {
  let lanes: Lanes;
  let undisturbed: object;
  let runs: readonly (() => Promise<object>)[];

  beforeAll(async () => {
    lanes = await openLanes();
    const pdf = await aPdf(
      Array.from({ length: 70 }, (_, page) => [
        `Section ${page} of the handbook says how many days of leave an employee has.`,
        `In year ${page} it is ${page + 20} days, and ${page} more for those who work at night.`,
      ]),
    );
    const [first, ...others] = lanes.each(
      ['', ...kills.map(({ freezeAt }) => freezeAt)],
      (runtime, freezeAt) => ingestWith(runtime, pdf, freezeAt),
    );
    runs = others;
    undisturbed = await first!();
    expect(undisturbed).toMatchObject({ file: { state: 'completed', chunks: 70 }, waiting: 0, errors: [] });
  });

  afterAll(() => lanes.close());

  it.each(kills.map(({ when }, index) => ({ when, index })))(
    '[files.ingest-kill] leaves no passage lost or doubled $when',
    async ({ index }) => {
      expect(await runs[index]!()).toEqual(undisturbed);
    },
  );
});
