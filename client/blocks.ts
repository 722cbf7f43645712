import type { Block, BlockOperation } from '../core/blocks/blocks.js';
import { unifiedDiff } from '../core/blocks/unified-diff.js';
import { type BlamedLine, blameRevision } from '../schema/blocks/blame.js';
import { changeBlock } from '../schema/blocks/changes.js';
import { restoreBlock, stepBlock } from '../schema/blocks/restoring.js';
import {
  type BlockRevision,
  listRevisions,
  requireRevision,
  type RevisionRange,
  revisionAsOf,
} from '../schema/blocks/revisions.js';
import type { ChangeOutcome } from '../schema/blocks/writing.js';
import type { FeedRevision } from '../schema/blocks/feed.js';
import { requireBlock } from '../schema/blocks/blocks.js';
import type { Db } from '../schema/db/database.js';
import type { BlockListener } from './block-listener.js';
import { type FollowOptions, newestSeq, watchBlock, watchBlocks } from './block-watching.js';

/** Options of a change. */
export interface EditOptions {
  /** The revision that the caller read; if the block has another one now, the change is a conflict. */
  readonly ifRevision?: number;
  /** The caller's idempotency key: a second change with it gives the first one's outcome. */
  readonly key?: string;
}

/**
 * Blocks, their changes and their history. A refused change is an outcome with a code. Methods throw for an unknown block
 * or revision: BlockNotFoundError or RevisionNotFoundError.
 */
export interface Blocks {
  /** Throws BlockNotFoundError. */
  retrieve(blockId: string): Promise<Block>;
  /** Applies an operation to the current value. */
  change(blockId: string, operation: BlockOperation, options?: EditOptions): Promise<ChangeOutcome>;
  /** Undoes the last change. Throws NothingToUndoError. */
  undo(blockId: string, options?: EditOptions): Promise<ChangeOutcome>;
  /** Redoes the change that was undone last. Throws NothingToUndoError. */
  redo(blockId: string, options?: EditOptions): Promise<ChangeOutcome>;
  /** Restores an earlier revision's value. */
  restore(blockId: string, revision: number, options?: EditOptions): Promise<ChangeOutcome>;
  /** Newest first; 50 by default. */
  revisions(blockId: string, range?: RevisionRange): Promise<readonly BlockRevision[]>;
  /** The revision with a number, or the one that was current at a time (a Date, or ISO 8601 to the microsecond). */
  asOf(blockId: string, when: number | Date | string): Promise<BlockRevision>;
  /** The difference between two revisions' values, as a unified diff. */
  diff(blockId: string, range: { readonly from: number; readonly to: number }): Promise<string>;
  /** The lines of the current value, each with the revision that wrote it. */
  blame(blockId: string): Promise<readonly BlamedLine[]>;
  /** A block's revisions as they are made, after `after`, until it is deleted or the signal is aborted. */
  watch(blockId: string, options?: FollowOptions): AsyncIterable<BlockRevision>;
  /** All blocks' revisions as they are made, after the `seq` `after`, until the signal is aborted. */
  watchAll(options?: FollowOptions): AsyncIterable<FeedRevision>;
  /** The `seq` after which `watchAll` gives what is made from now on. */
  newest(): Promise<number>;
}

/** Any number of processes may follow the same blocks; they listen on `listener`'s connection. */
export function createBlocks(sources: { readonly db: Db; readonly listener: BlockListener }): Blocks {
  const { db } = sources;
  return {
    watch: (blockId, options) => watchBlock(sources, blockId, options ?? {}),
    watchAll: (options) => watchBlocks(sources, options ?? {}),
    newest: () => newestSeq(sources),
    retrieve: (blockId) => requireBlock(db, blockId),
    change: (blockId, operation, options) => changeBlock(db, { ...toRevising(blockId, options), operation }),
    undo: (blockId, options) => stepBlock(db, 'undo', toRevising(blockId, options)),
    redo: (blockId, options) => stepBlock(db, 'redo', toRevising(blockId, options)),
    restore: (blockId, revision, options) => restoreBlock(db, revision, toRevising(blockId, options)),
    async revisions(blockId, range) {
      await requireBlock(db, blockId);
      return listRevisions(db, blockId, range);
    },
    asOf: (blockId, when) =>
      typeof when === 'number' ? requireRevision(db, blockId, when) : revisionAsOf(db, blockId, when),
    async diff(blockId, { from, to }) {
      const [before, after] = await Promise.all([
        requireRevision(db, blockId, from),
        requireRevision(db, blockId, to),
      ]);
      return unifiedDiff(before.value, after.value);
    },
    async blame(blockId) {
      const { revision } = await requireBlock(db, blockId);
      return blameRevision(db, await requireRevision(db, blockId, revision));
    },
  };
}

function toRevising(blockId: string, { ifRevision, key }: EditOptions = {}) {
  return {
    blockId,
    actor: 'user' as const,
    ifRevision,
    effectId: key === undefined ? undefined : effectOfKey(blockId, key),
  };
}

/** The effect id for an idempotency key of a block's writer. */
export function effectOfKey(blockId: string, key: string): string {
  return `key:${blockId}:${key}`;
}
