import { sql } from 'kysely';
import type { TurnError } from '../../core/turns/events.js';
import { derivedId } from '../../core/ids.js';
import { conflictTask, type RefinementEnd, type RefinementState } from '../../core/refinement/refinement.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import type { Turn } from '../turns/records.js';
import { closeBranch, listBranches, saveBranch } from '../blocks/branches.js';
import { dropHeldPassages, storeHeldPassages } from './passages.js';
import { meetAll, toConflict, writeMerged } from './merging.js';
import { enqueueRound } from './opening.js';
import { requestRefinement, settleRequest } from './requests.js';
import { answeredSteps, getRefinement, lockRefinement, type Refinement, roundTurnId } from './refinements.js';
import { toJson } from '../db/storable.js';
import { lockThread } from '../threads/threads.js';
import { getTurn } from '../turns/turns.js';
import { moveWatermark } from '../threads/watermarks.js';

/** The state of a refinement after its partner's turn. */
export type Closing =
  /** The turn has not ended. */
  | { readonly kind: 'waiting' }
  /** Others changed the same lines, so the partner gets another turn, in this round, to rework its edits. */
  | { readonly kind: 'again'; readonly round: number }
  | { readonly kind: 'closed'; readonly state: RefinementState };

/** The most turns of a refinement. After the last one, others' lines win where both changed the same ones. */
const maxRounds = 3;

/**
 * Closes a refinement whose partner's turn has ended: merges, moves the watermark and sets the status in one
 * transaction. A repeated call returns the first outcome.
 */
export async function closeRefinement(db: Db, refinementId: string): Promise<Closing> {
  const found = await getRefinement(db, refinementId);
  if (found === undefined) return gone;
  return inTransaction(db, async (tx) => {
    await lockThread(tx, found.partnerId);
    const refinement = await lockRefinement(tx, refinementId);
    if (refinement === undefined) return gone;
    if (refinement.state !== 'running') return { kind: 'closed', state: refinement.state };
    const turn = await getTurn(tx, roundTurnId(refinementId, refinement.round));
    if (turn?.state === 'created' || turn?.state === 'running') return { kind: 'waiting' };
    const steps = await answeredSteps(tx, refinement);
    const end = turn === undefined ? lost : endOf(turn, steps);
    if (end.kind === 'failed') return fail(tx, refinement, end.error);
    if (refinement.settings.review)
      return conclude(tx, refinement, { state: 'in_review', endedBy: end.endedBy });
    return merge(tx, refinement, { endedBy: end.endedBy, steps });
  });
}

/** It was deleted with its group or its partner. */
const gone: Closing = { kind: 'closed', state: 'failed' };

type TurnEnd =
  | { readonly kind: 'ended'; readonly endedBy: RefinementEnd }
  | { readonly kind: 'failed'; readonly error: TurnError };

const lost: TurnEnd = {
  kind: 'failed',
  error: {
    type: 'Turn.Missing',
    message: 'The turn of the partner was deleted. The next refinement will read the same messages.',
  },
};

function endOf(turn: Turn, steps: number): TurnEnd {
  const error = turn.error ?? {
    type: turn.state === 'cancelled' ? 'Refinement.Cancelled' : 'Refinement.TurnFailed',
    message: `The partner's turn ended with ${turn.stopReason ?? turn.state}.`,
  };
  if (turn.stopReason === 'max_tokens_exceeded') {
    if (steps > 0) return { kind: 'ended', endedBy: 'tokens' };
    const message = 'The token budget is too small for a single step. Raise max_tokens of the group.';
    return { kind: 'failed', error: { type: 'Refinement.Budget', message } };
  }
  if (turn.state !== 'completed') return { kind: 'failed', error };
  return { kind: 'ended', endedBy: turn.stopReason === 'max_steps' ? 'steps' : 'finished' };
}

async function fail(tx: Tx, refinement: Refinement, error: TurnError): Promise<Closing> {
  await sql`
    update refinements set state = 'failed', ended_by = 'error', error = ${toJson(error)}::jsonb,
      completed_at = clock_timestamp() where id = ${refinement.id}`.execute(tx);
  for (const { blockId } of await listBranches(tx, refinement.id)) {
    await closeBranch(tx, refinement.id, {
      blockId,
      state: 'dropped',
      note: 'The refinement failed.',
      mergedRevision: null,
    });
  }
  await dropHeldPassages(tx, refinement.id);
  // The next refinement reads the transcript again. Documents are not retried.
  if (refinement.ranges.length === 0) await settleRequest(tx, refinement.requestId, { state: 'failed' });
  return { kind: 'closed', state: 'failed' };
}

/** Marks what was read as processed, so that it is never processed again. */
async function conclude(
  tx: Tx,
  refinement: Refinement,
  end: { readonly state: 'completed' | 'in_review'; readonly endedBy: RefinementEnd },
): Promise<Closing> {
  const { id, partnerId, groupId, ranges, requestId } = refinement;
  await sql`
    update refinements set state = ${end.state}, ended_by = ${end.endedBy}, completed_at = clock_timestamp()
    where id = ${id}`.execute(tx);
  for (const { threadId, to } of ranges) await moveWatermark(tx, { partnerId, threadId, position: to });
  if (ranges.length === 0) {
    await sql`update refinement_requests set parts_done = parts_done + 1 where id = ${requestId}`.execute(tx);
  } else if (await hasUnread(tx, refinement)) {
    // What did not fit in this refinement is left to the next.
    const more = { id: derivedId('request', id), groupId, partnerId, cause: 'turns' as const };
    await requestRefinement(tx, more);
  }
  return { kind: 'closed', state: end.state };
}

/** Whether messages from before the refinement's start are left. */
async function hasUnread(tx: Tx, { id, partnerId, createdAt }: Refinement): Promise<boolean> {
  const { rows } = await sql`
    select from refinements f join threads th on th.agent_id = f.agent_id
      join messages m on m.thread_id = th.id and m.position is not null and m.created_at < ${createdAt}
      left join watermarks w on w.thread_id = th.id and w.partner_id = ${partnerId}
    where f.id = ${id} and m.position > coalesce(w.position, -1) limit 1`.execute(tx);
  return rows.length > 0;
}

async function merge(
  tx: Tx,
  refinement: Refinement,
  { endedBy, steps }: { readonly endedBy: RefinementEnd; readonly steps: number },
): Promise<Closing> {
  const meetings = await meetAll(tx, refinement);
  const inTrouble = meetings.filter(({ problem }) => problem !== null);
  const maxSteps = refinement.settings.maxSteps - steps;
  const round = refinement.round + 1;
  if (inTrouble.length > 0 && endedBy === 'finished' && round < maxRounds && maxSteps > 0) {
    for (const { branch, block } of inTrouble) {
      await saveBranch(tx, refinement.id, {
        blockId: branch.blockId,
        baseRevision: block.revision,
        baseValue: block.value,
        value: block.value,
      });
    }
    await sql`update refinements set round = ${round} where id = ${refinement.id}`.execute(tx);
    const task = conflictTask(inTrouble.map(toConflict));
    const { id: refinementId, partnerId } = refinement;
    await enqueueRound(tx, { refinementId, partnerId, round, maxSteps, task });
    return { kind: 'again', round };
  }
  const closing = await conclude(tx, refinement, { state: 'completed', endedBy });
  for (const meeting of meetings) await writeMerged(tx, refinement, meeting);
  await storeHeldPassages(tx, refinement);
  return closing;
}
