import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  setHandler,
  upsertMemo,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { quickly } from './activities.js';
import { type RefineMemoryInput, ringSignal } from './protocol.js';
import { type Standing, wakeUntilOver } from './waking.js';

/** After this many refinements the execution continues as new, to keep its history small. */
const refinementsEach = 10;

/**
 * Refines memory as long as there are requests. Each refinement fixes what it reads, lets the partner's turn edit
 * branches of the blocks, then merges them and moves the watermark in one transaction.
 * 1. The rows say what to do, so a lost or a second execution changes nothing.
 * 2. It ends only if the rows have no request and no bell has rung since, like a turn's execution.
 * 3. The partner's turns are executions of their own and end like any turn. This one only waits for them.
 * 4. Cancelling it cancels the running refinement, and no other turn of the partner.
 */
export async function refineMemory({ partnerId, scheduled }: RefineMemoryInput): Promise<void> {
  const bell = { rings: 0 };
  setHandler(ringSignal, () => {
    bell.rings += 1;
  });
  for (let count = 0; ; count += 1) {
    const heard = bell.rings;
    if (count === refinementsEach) await continueAsNew<typeof refineMemory>({ partnerId });
    const scheduledAs = scheduled === true && count === 0 ? `request-${workflowInfo().runId}` : undefined;
    const input = { partnerId, refinementId: `refinement-${uuid4()}`, scheduledAs };
    const opened = await quickly('openRefinement', input, { summary: 'begin the next refinement' });
    if (opened === null && bell.rings === heard) return;
    if (opened === null) continue;
    upsertMemo({ refinement: opened.id });
    const end = await runToItsEnd(partnerId, opened.id);
    // The next run finds the refinement still open.
    if (end === 'long') await continueAsNew<typeof refineMemory>({ partnerId });
  }
}

async function runToItsEnd(partnerId: string, refinementId: string): Promise<'over' | 'long'> {
  const close = async (): Promise<Standing> => {
    const summary = 'merge what the turn left';
    const { kind } = await quickly('closeRefinement', { refinementId }, { summary });
    return kind === 'closed' ? 'over' : kind;
  };
  try {
    return await wakeUntilOver(partnerId, close);
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() =>
        quickly('cancelRefinement', { refinementId }, { summary: 'cancel the refinement' }),
      );
    }
    throw error;
  }
}
