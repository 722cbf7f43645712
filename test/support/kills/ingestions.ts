import { describe, expect, it } from '@jest/globals';
import { fileText } from '../../../schema/files/files.js';
import { requireJob } from '../../../schema/files/jobs.js';
import { listSourcePassages } from '../../../schema/files/source-passages.js';
import { withChaos } from '../chaos.js';
import { anUpload, aSource, ended } from '../files/file-fixtures.js';
import type { Point } from '../points.js';
import type { OneKill, Scene } from './one-kill.js';

const kills = withChaos<readonly [when: string, point: Point]>(
  [
    ['while it is read', { sql: 'insert into "file_chunks"' }],
    ['while a batch is stored', { sql: 'update file_chunks set embedding', nth: 2 }],
    ['while its passages are published', { sql: 'insert into passages' }],
  ],
  [
    ['before it is read', { before: 'readFile' }],
    ['with its chunks stored and the activity unacknowledged', { after: 'readFile' }],
    ['between batches', { after: 'embedChunks', nth: 2 }],
    ['with its passages published and the activity unacknowledged', { after: 'publishFile' }],
  ],
);

const handbook = Array.from(
  { length: 70 },
  (_, year) =>
    `Section ${year} of the handbook says how many days of leave an employee has. In year ${year} it is ${year + 20} days, and ${year} more for those who work at night.`,
).join('\n\n');

/** What is left of an ingestion, but for ids that are random and times. */
async function ingest(scene: Scene, point?: Point) {
  const { db, ingestions } = scene.runtime;
  const source = await aSource(db, { embedding: 'openai/text-embedding-3-small' });
  const upload = await anUpload(db, source, { name: 'handbook.md', content: handbook });
  if (point !== undefined) await scene.stopAt(point, [upload.id]);
  await ingestions.start(upload.id);
  if (point !== undefined) await scene.killed();
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
  };
}

/** That an ingestion leaves the same where the worker is killed in it. */
export function describeKilledIngestions(kill: OneKill): void {
  describe('kill -9 of the worker in the middle of an ingestion', () => {
    const undisturbed = kill.undisturbed(ingest);
    const runs = kills.map(([when, point]) => {
      return { when, killed: kill.scene(`an ingestion, ${when}`, (scene) => ingest(scene, point)) };
    });

    it.each(runs)('[files.ingest-kill] leaves no passage lost or doubled $when', async ({ killed }) => {
      const expected = await undisturbed();
      expect(expected).toMatchObject({ file: { state: 'completed', chunks: 70 }, waiting: 0 });
      expect(await killed()).toEqual(expected);
    });
  });
}
