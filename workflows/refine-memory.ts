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

/** Refinements after which the execution continues as new, so that its history stays small. */
const refinementsEach = 10;

/**
 * Refines memory as long as something asks for it: each refinement fixes what it reads, has the partner's turn work it
 * in on branches of the blocks, and ends by merging them and moving the watermark in one transaction.
 *
 * 1. The rows say what is to be done; that an execution was lost, or that two run, changes nothing.
 * 2. It ends only where the rows asked for nothing and no bell has rung since, as a turn's execution does.
 * 3. The partner's turns are executions of their own, and end as any turn does; this one only waits for them.
 * 4. Cancelling it cancels the refinement that runs, and no other turn of the partner.
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
    // The next run finds the refinement under way.
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
