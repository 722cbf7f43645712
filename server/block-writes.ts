import type { Block } from '../core/blocks.js';
import { codePoints } from '../core/block-operations.js';
import { changeBlock } from '../schema/block-changes.js';
import { requireBlock, updateBlockFields } from '../schema/blocks.js';
import { type Db, inTransaction } from '../schema/database.js';
import { BlockConflictError, BlockLimitError } from '../schema/errors.js';
import { RequestRefusedError } from './problems.js';
import { fromUpdateBlock, type UpdateBlockBody } from './wire/blocks.js';

/** A change of a block over REST. */
export interface BlockWrite {
  readonly blockId: string;
  readonly body: UpdateBlockBody;
  /** The `If-Match` header: the revision that the writer read, as its ETag. */
  readonly ifMatch?: string | undefined;
}

/**
 * Changes a block's fields and value, or nothing of it. Without a base revision a value is set, whatever was there;
 * the revision before it is kept. Throws BlockNotFoundError, BlockConflictError, BlockLimitError, LabelTakenError.
 */
export async function writeBlock(db: Db, { blockId, body, ifMatch }: BlockWrite): Promise<Block> {
  const ifRevision = parseRevision(ifMatch);
  return inTransaction(db, async (tx) => {
    const patch = fromUpdateBlock(body);
    // Fields first: a higher limit lets the longer value in.
    const block =
      Object.keys(patch).length === 0
        ? await requireBlock(tx, blockId)
        : await updateBlockFields(tx, blockId, patch);
    if (body.value == null) {
      if (ifRevision !== undefined && ifRevision !== block.revision) throw new BlockConflictError(block);
      return block;
    }
    const operation = { kind: 'set' as const, value: body.value };
    const outcome = await changeBlock(tx, { blockId, operation, ifRevision, actor: 'user' });
    if (outcome.ok) return outcome.block;
    switch (outcome.code) {
      case 'conflict':
        throw new BlockConflictError(outcome.block);
      case 'too_long':
        throw new BlockLimitError({ ...outcome.block, size: codePoints(body.value) });
      default:
        throw new RequestRefusedError(400, outcome.message);
    }
  });
}

/** A block's revision as an ETag. */
export function toEtag(block: Block): string {
  return `"${block.revision}"`;
}

function parseRevision(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const revision = /^(?:W\/)?"?(\d+)"?$/.exec(ifMatch.trim())?.[1];
  if (revision === undefined) {
    throw new RequestRefusedError(422, 'header.If-Match: must be the ETag of a block, such as "3".');
  }
  return Number(revision);
}
