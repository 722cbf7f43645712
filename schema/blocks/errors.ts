import { unifiedDiff } from '../../core/blocks/unified-diff.js';
import { ClashError, MissingError, UnfitError } from '../db/errors.js';

/** The block does not exist; or, with `agentId` and `label`, the agent has no block with that label. */
export class BlockNotFoundError extends MissingError {
  readonly blockId: string | null;
  readonly agentId: string | null;
  readonly label: string | null;

  constructor(missing: { readonly blockId: string } | { readonly agentId: string; readonly label: string }) {
    super(
      'blockId' in missing
        ? `Block with ID ${missing.blockId} not found. List the blocks to see which there are.`
        : `Agent ${missing.agentId} has no block labelled '${missing.label}'. List the agent's blocks, or attach one with this label.`,
    );
    this.blockId = 'blockId' in missing ? missing.blockId : null;
    this.agentId = 'blockId' in missing ? null : missing.agentId;
    this.label = 'blockId' in missing ? null : missing.label;
  }
}

/** The agent has another block with this label. */
export class LabelTakenError extends ClashError {
  readonly label: string;
  readonly agentId: string;

  constructor(label: string, agentId: string) {
    super(
      `Agent ${agentId} has a block labelled '${label}' already. Detach that one first, or use another label.`,
    );
    this.label = label;
    this.agentId = agentId;
  }
}

/** Somebody else changed the block since the caller read it. */
export class BlockConflictError extends ClashError {
  readonly blockId: string;
  /** The current revision. */
  readonly revision: number;
  readonly value: string;
  /** The revision that the caller read, and the difference to the current value; null where unknown. */
  readonly base: number | null;
  readonly difference: string | null;

  constructor(
    block: { readonly id: string; readonly revision: number; readonly value: string },
    read?: { readonly revision: number; readonly value: string },
  ) {
    super(
      `Somebody else changed block ${block.id}, which is at revision ${block.revision} now. Read it again, merge your change and write it with that revision.`,
    );
    this.blockId = block.id;
    this.revision = block.revision;
    this.value = block.value;
    this.base = read?.revision ?? null;
    this.difference = read === undefined ? null : unifiedDiff(read.value, block.value);
  }
}

/** The block has no revision with this number, or none at this moment. */
export class RevisionNotFoundError extends MissingError {
  readonly blockId: string;
  readonly missing: number | string;

  constructor(blockId: string, missing: number | string) {
    super(
      typeof missing === 'number'
        ? `Block ${blockId} has no revision ${missing}. List its revisions to see which there are.`
        : `Block ${blockId} did not exist yet at ${missing}. List its revisions to see when it was made.`,
    );
    this.blockId = blockId;
    this.missing = missing;
  }
}

/** The block has no change to undo or redo. */
export class NothingToUndoError extends ClashError {
  readonly blockId: string;
  readonly wish: 'undo' | 'redo';

  constructor(blockId: string, wish: 'undo' | 'redo') {
    super(
      wish === 'undo'
        ? `Block ${blockId} has no change to undo. List its revisions, and restore one of them.`
        : `Block ${blockId} has nothing to redo, because its last change was not an undo. List its revisions, and restore one of them.`,
    );
    this.blockId = blockId;
    this.wish = wish;
  }
}

/** A value is longer than its block's limit. */
export class BlockLimitError extends UnfitError {
  readonly label: string;
  /** Both in code points. */
  readonly limit: number;
  readonly size: number;

  constructor(block: { readonly label: string; readonly limit: number; readonly size: number }) {
    super(
      `Edit failed: Exceeds ${block.limit} character limit (requested ${block.size}). Shorten the value of block '${block.label}', or give it a higher limit.`,
    );
    this.label = block.label;
    this.limit = block.limit;
    this.size = block.size;
  }
}
