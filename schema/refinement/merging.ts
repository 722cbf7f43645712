import { codePoints } from '../../core/blocks/operations.js';
import type { Block } from '../../core/blocks/blocks.js';
import { derivedId } from '../../core/ids.js';
import { refusalToGut } from '../../core/refinement/refinement.js';
import { changeBlock } from '../blocks/changes.js';
import { lockBlock } from '../blocks/writing.js';
import type { Tx } from '../db/database.js';
import { type Branch, closeBranch, listBranches } from '../blocks/branches.js';
import { type Refinement, roundTurnId } from './refinements.js';
import { mergeTexts } from '../blocks/three-way.js';

/** A branch and the current state of its block. */
export interface Meeting {
  readonly branch: Branch;
  readonly block: Block;
  /** The merged value. If there is a problem, the nearest value that keeps what others wrote. */
  readonly value: string;
  /** Why the branch can't be merged completely; null: it can. */
  readonly problem: string | null;
}

/** The conflict as the server reports it. */
export function toConflict({ branch, block, problem }: Meeting) {
  return { label: branch.label, current: block.value, yours: branch.value, why: problem ?? '' };
}

/** The refinement's branches with their blocks, which are locked until the transaction ends. */
export async function meetAll(tx: Tx, refinement: Refinement): Promise<readonly Meeting[]> {
  const open = (await listBranches(tx, refinement.id)).filter(({ state }) => state === 'open');
  const meetings: Meeting[] = [];
  for (const branch of open) {
    meetings.push(meet(branch, await lockBlock(tx, branch.blockId), refinement));
  }
  return meetings;
}

function meet(branch: Branch, block: Block, { settings }: Refinement): Meeting {
  const merged = mergeTexts({ base: branch.baseValue, ours: branch.value, theirs: block.value });
  const value = merged.kind === 'merged' ? merged.value : merged.theirs;
  const problem = problemOf(block, value, settings.minKeptShare);
  if (problem !== null) return { branch, block, value: block.value, problem };
  return {
    branch,
    block,
    value,
    problem: merged.kind === 'merged' ? null : 'others changed lines that you changed.',
  };
}

function problemOf(block: Block, value: string, minKeptShare: number): string | null {
  const size = codePoints(value);
  if (size > block.limit && size > codePoints(block.value)) {
    return `the merged text would have ${size} characters, but the limit is ${block.limit}.`;
  }
  return refusalToGut({ label: block.label, before: block.value, after: value, minKeptShare });
}

/**
 * Writes a merged value into its block, or drops the branch if the block refuses it. Returns the reason for a
 * refusal, else null. The refinement must be closed, or this would edit the branch.
 */
export async function writeMerged(
  tx: Tx,
  refinement: Refinement,
  { branch, block, value, problem }: Meeting,
): Promise<string | null> {
  const { blockId } = branch;
  if (value === block.value) {
    const state = problem === null ? 'merged' : 'dropped';
    await closeBranch(tx, refinement.id, { blockId, state, note: problem, mergedRevision: block.revision });
    return null;
  }
  const outcome = await changeBlock(tx, {
    blockId,
    operation: { kind: 'set', value },
    actor: 'sleep_time',
    agentId: refinement.partnerId,
    turnId: roundTurnId(refinement.id, refinement.round),
    effectId: derivedId('effect', refinement.id, blockId),
  });
  await closeBranch(tx, refinement.id, {
    blockId,
    state: outcome.ok ? 'merged' : 'dropped',
    note: outcome.ok ? problem : outcome.message,
    mergedRevision: outcome.ok ? outcome.block.revision : null,
  });
  return outcome.ok ? null : outcome.message;
}
