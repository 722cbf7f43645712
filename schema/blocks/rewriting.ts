import type { Block } from '../../core/blocks/blocks.js';
import type { Author } from './authors.js';
import { changeBlock } from './changes.js';
import { lockBlocksForEdits } from './edits.js';
import type { ChangeOutcome } from './writing.js';
import type { Tx } from '../db/database.js';
import { mergeTexts } from './three-way.js';

/** A whole new value of a block, from an author who read it earlier. */
export interface BlockRewrite extends Author {
  /** The block as the author read it. */
  readonly read: Block;
  readonly value: string;
}

/**
 * Writes a value that was derived from an earlier one. If somebody else changed the block since, both changes are
 * merged. If both changed the same lines, nothing is written and the outcome is a conflict. Throws
 * BlockNotFoundError.
 */
export async function rewriteBlock(tx: Tx, { read, value, ...author }: BlockRewrite): Promise<ChangeOutcome> {
  const [current = read] = await lockBlocksForEdits(tx, author, [read.id]);
  const merge = mergeTexts({ base: read.value, ours: value, theirs: current.value });
  // As a rewrite of the outdated revision, it is refused with a description of what changed.
  const operation =
    merge.kind === 'merged'
      ? { kind: 'rewrite' as const, value: merge.value, base: current.revision }
      : { kind: 'rewrite' as const, value, base: read.revision };
  return changeBlock(tx, { blockId: read.id, operation, ...author });
}
