import { condition, continueAsNew, setHandler, upsertMemo, uuid4, workflowInfo } from '@temporalio/workflow';
import { quickly } from './activities.js';
import { type RefineMemoryInput, ringSignal } from './protocol.js';
import { wake } from './waking.js';

/** Refinements after which the execution continues as new, so that its history stays small. */
const refinementsEach = 10;

/** How often the rows are asked whether the turn has ended, where nothing else tells. */
const patienceMs = 5_000;

/**
 * Refines memory as long as something asks for it: each refinement fixes what it reads, has the partner's turn work it
 * in on branches of the blocks, and ends by merging them and moving the watermark in one transaction.
 *
 * 1. The rows say what is to be done; that an execution was lost, or that two run, changes nothing.
 * 2. It ends only where the rows asked for nothing and no bell has rung since, as a turn's execution does.
 * 3. The partner's turns are executions of their own, and end as any turn does; this one only waits for them.
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
    await runToItsEnd(partnerId, opened.id);
  }
}

async function runToItsEnd(partnerId: string, refinementId: string): Promise<void> {
  for (;;) {
    const { ended } = await wake(partnerId);
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    await condition(() => isOver, patienceMs);
    const closing = await quickly(
      'closeRefinement',
      { refinementId },
      { summary: 'merge what the turn left' },
    );
    if (closing.kind === 'closed') return;
  }
}
