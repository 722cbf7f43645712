import type { Block } from '../../core/blocks/blocks.js';
import type { Author } from './authors.js';
import { changeBlock } from './changes.js';
import { holdBlocks } from './edits.js';
import type { ChangeOutcome } from './writing.js';
import type { Tx } from '../db/database.js';
import { mergeTexts } from './three-way.js';

/** A whole new value of a block, by somebody who read it earlier. */
export interface BlockRewrite extends Author {
  /** The block as it was read. */
  readonly read: Block;
  readonly value: string;
}

/**
 * Gives a block a value that was made from an earlier one. Where somebody else has changed the block since, both
 * changes are merged; where both changed the same lines nothing is written, and the outcome is a conflict.
 * Throws BlockNotFoundError.
 */
export async function rewriteBlock(tx: Tx, { read, value, ...author }: BlockRewrite): Promise<ChangeOutcome> {
  const [current = read] = await holdBlocks(tx, author, [read.id]);
  const merge = mergeTexts({ base: read.value, ours: value, theirs: current.value });
  // A rewrite on what was read is refused, and says what changed since.
  const operation =
    merge.kind === 'merged'
      ? { kind: 'rewrite' as const, value: merge.value, base: current.revision }
      : { kind: 'rewrite' as const, value, base: read.revision };
  return changeBlock(tx, { blockId: read.id, operation, ...author });
}
