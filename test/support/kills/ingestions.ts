import { beforeAll, describe, expect, it } from '@jest/globals';
import { createIngestions } from '../../../client/ingestions.js';
import { fileText } from '../../../schema/files/files.js';
import { requireJob } from '../../../schema/files/jobs.js';
import { listSourcePassages } from '../../../schema/files/source-passages.js';
import { withChaos } from '../chaos.js';
import { aPdf } from '../files/documents.js';
import { anUpload, aSource, ended } from '../files/given-files.js';
import type { Lane, Lanes } from './lanes.js';

interface Kill {
  readonly when: string;
  readonly freezeAt: string;
}

const kills: readonly Kill[] = withChaos(
  [
    { when: 'while it is read', freezeAt: 'sql:1:insert into "file_chunks"' },
    { when: 'while a batch is stored', freezeAt: 'sql:2:update file_chunks set embedding' },
    { when: 'while its passages are published', freezeAt: 'sql:1:insert into passages' },
  ],
  [
    { when: 'before it is read', freezeAt: 'before:readFile:1' },
    { when: 'with its chunks stored and the activity unacknowledged', freezeAt: 'after:readFile:1' },
    { when: 'between batches', freezeAt: 'after:embedChunks:2' },
    { when: 'with its passages published and the activity unacknowledged', freezeAt: 'after:publishFile:1' },
  ],
);

/** What is left of an ingestion, but for ids that are random and times. */
async function ingestWith({ runtime, ...lane }: Lane, pdf: Buffer, freezeAt: string): Promise<object> {
  const { db } = runtime;
  const errorsBefore = lane.errors().length;
  const source = await aSource(db, { embedding: 'openai/text-embedding-3-small' });
  const upload = await anUpload(db, source, { name: 'handbook.pdf', content: pdf });
  await lane.worker().arm(freezeAt);
  await createIngestions(runtime.temporal, runtime.taskQueue).start(upload.id);
  if (freezeAt !== '') {
    await lane.worker().frozen;
    await lane.replaceWorker();
  }
  const { state, error, chunks, chunksEmbedded } = await ended(db, upload.id);
  const job = await requireJob(db, upload.jobId);
  const passages = await listSourcePassages(db, source.id, {});
  const waiting = await db.selectFrom('file_chunks').where('file_id', '=', upload.id).selectAll().execute();
  return {
    file: { state, error, chunks, chunksEmbedded },
    job: job.state,
    text: await fileText(db, upload.id),
    passages: passages.map(({ text, metadata, embeddingModel }) => ({ text, metadata, embeddingModel })),
    ids: new Set(passages.map((passage) => passage.id)).size,
    waiting: waiting.length,
    errors: lane.errors().slice(errorsBefore),
  };
}

/** That an ingestion leaves the same where a worker of these lanes is killed in it. */
export function describeKilledIngestions(lanes: () => Lanes): void {
  describe('kill -9 of the worker in the middle of an ingestion', () => {
    let undisturbed: object;
    let runs: readonly (() => Promise<object>)[];

    beforeAll(async () => {
      const pdf = await aPdf(
        Array.from({ length: 70 }, (_, page) => [
          `Section ${page} of the handbook says how many days of leave an employee has.`,
          `In year ${page} it is ${page + 20} days, and ${page} more for those who work at night.`,
        ]),
      );
      const [first, ...others] = lanes().each(
        ['', ...kills.map(({ freezeAt }) => freezeAt)],
        (lane, freezeAt) => ingestWith(lane, pdf, freezeAt),
      );
      runs = others;
      undisturbed = await first!();
      expect(undisturbed).toMatchObject({ file: { state: 'completed', chunks: 70 }, waiting: 0, errors: [] });
    });

    it.each(kills.map(({ when }, index) => ({ when, index })))(
      '[files.ingest-kill] leaves no passage lost or doubled $when',
      async ({ index }) => {
        expect(await runs[index]!()).toEqual(undisturbed);
      },
    );
  });
}
