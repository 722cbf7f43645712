import { condition, continueAsNew, setHandler, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { quickly } from './activities.js';
import { type GroupTalkInput, ringSignal } from './protocol.js';

/** How long to wait before reading the rows again without a signal, in ms. Doubles each time. */
const patienceMs = { first: 5_000, longest: 30_000 } as const;

/**
 * Advances a group's talks as long as there are any. Each turn of its agents is an execution of its own, and this one
 * waits for its end.
 * 1. The rows record who spoke and decide who is next, so a lost or a second execution changes nothing.
 * 2. It ends only if the rows say that nothing waits and no bell has rung since, like a turn's execution.
 * 3. Ending it ends no turn and no talk: the next bell, or the sweep, continues it.
 */
export async function groupTalk({ groupId }: GroupTalkInput): Promise<void> {
  const bell = { rings: 0 };
  setHandler(ringSignal, () => {
    bell.rings += 1;
  });
  let awaited: string | null = null;
  let patience: number = patienceMs.first;
  for (;;) {
    const heard = bell.rings;
    const next = await quickly('advanceTalks', { groupId }, { summary: 'who is next' });
    if (next === null && bell.rings === heard) return;
    if (next === null) continue;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof groupTalk>({ groupId });
    const isSame: boolean = next.turnId === awaited;
    patience = isSame ? Math.min(patience * 2, patienceMs.longest) : patienceMs.first;
    if (!isSame) upsertMemo({ run: next.turnId });
    awaited = next.turnId;
    await condition(() => bell.rings > heard, Math.min(patience, next.waitMs + 1));
  }
}
