import { continueAsNew, isCancellation, workflowInfo } from '@temporalio/workflow';
import { ingesting } from './ingestion-activities.js';
import type { IngestFileInput } from './protocol.js';
import { failureType } from './settlement.js';

/**
 * Turns an uploaded file into passages, under the file's id. Progress is in the rows: an execution that takes over
 * does not read a file again, and embeds only what has no vector. Cancelling updates the rows first.
 */
export async function ingestFile({ fileId }: IngestFileInput): Promise<void> {
  const end = await ingest(fileId).catch(async (error: unknown) => {
    const failure = failureType(error);
    if (isCancellation(error) || failure === undefined) throw error;
    await ingesting('giving up').giveUpFile({ fileId, failure });
    return 'over' as const;
  });
  if (end === 'history is long') await continueAsNew<typeof ingestFile>({ fileId });
}

async function ingest(fileId: string): Promise<'over' | 'history is long'> {
  const read = await ingesting('read').readFile({ fileId });
  if (read.kind === 'over') return 'over';
  let left = read.chunks;
  while (left > 0) {
    if (workflowInfo().continueAsNewSuggested) return 'history is long';
    ({ left } = await ingesting(`embed · ${left} of ${read.chunks} left`).embedChunks({ fileId }));
  }
  await ingesting('publish').publishFile({ fileId });
  return 'over';
}
