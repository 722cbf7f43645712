import { codePoints } from '../../core/blocks/operations.js';
import type { Block } from '../../core/blocks/blocks.js';
import type { Author } from '../../schema/blocks/authors.js';
import { changeBlock } from '../../schema/blocks/changes.js';
import { getRevision } from '../../schema/blocks/revisions.js';
import type { ChangeOutcome } from '../../schema/blocks/writing.js';
import { requireBlock, updateBlockFields } from '../../schema/blocks/blocks.js';
import { type Db, inTransaction } from '../../schema/db/database.js';
import { BlockConflictError, BlockLimitError } from '../../schema/blocks/errors.js';
import { RequestRefusedError } from '../http/problems.js';
import { fromUpdateBlock, toWireBlock, type UpdateBlockBody, type WireBlock } from './blocks-wire.js';

/** A change of a block over REST. */
export interface BlockWrite {
  readonly blockId: string;
  readonly body: UpdateBlockBody;
  /** The `If-Match` header: the revision that the writer read, as its ETag. */
  readonly ifMatch?: string | undefined;
  readonly author: Author;
}

/**
 * Changes a block's fields and value, all or nothing. Without `ifMatch` a value replaces whatever was there; the
 * revision before it is kept. Throws BlockNotFoundError, BlockConflictError, BlockLimitError, LabelTakenError.
 */
export async function writeBlock(db: Db, { blockId, body, ifMatch, author }: BlockWrite): Promise<Block> {
  const ifRevision = parseRevision(ifMatch);
  return inTransaction(db, async (tx) => {
    const patch = fromUpdateBlock(body);
    // Fields first: a longer value may need the higher limit.
    const block =
      Object.keys(patch).length === 0
        ? await requireBlock(tx, blockId)
        : await updateBlockFields(tx, blockId, patch);
    if (body.value == null) {
      if (ifRevision !== undefined && ifRevision !== block.revision)
        throw new BlockConflictError(block, await getRevision(tx, blockId, ifRevision));
      return withinLimit(block, patch.limit);
    }
    const operation = { kind: 'set' as const, value: body.value };
    const outcome = await changeBlock(tx, { blockId, operation, ifRevision, ...author });
    return withinLimit(accepted(outcome, body.value), patch.limit);
  });
}

/** Checks that the value fits a new limit. Throws BlockLimitError. */
function withinLimit(block: Block, newLimit: number | undefined): Block {
  const size = codePoints(block.value);
  if (newLimit !== undefined && size > newLimit) throw new BlockLimitError({ ...block, size });
  return block;
}

/**
 * The block after a change. A refused change is thrown as the caller's error. `value`: the whole new value, where the
 * caller gave it. Throws BlockConflictError, BlockLimitError, RequestRefusedError.
 */
export function accepted(outcome: ChangeOutcome, value?: string): Block {
  if (outcome.ok) return outcome.block;
  if (outcome.code === 'conflict') throw new BlockConflictError(outcome.block, outcome.seen);
  if (outcome.code === 'too_long' && value !== undefined)
    throw new BlockLimitError({ ...outcome.block, size: codePoints(value) });
  throw new RequestRefusedError(400, outcome.message);
}

/** The block as the answer's body, with its revision as the answer's ETag. */
export function replyBlock(reply: { header(name: string, value: string): unknown }, block: Block): WireBlock {
  void reply.header('etag', toEtag(block));
  return toWireBlock(block);
}

/** A block's revision as an ETag. */
function toEtag({ revision }: Pick<Block, 'revision'>): string {
  return `"${revision}"`;
}

/** The revision of an `If-Match` header; undefined where any revision matches. Throws RequestRefusedError. */
export function parseRevision(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const revision = /^(?:W\/)?"?(\d{1,15})"?$/.exec(ifMatch.trim())?.[1];
  if (revision === undefined) {
    throw new RequestRefusedError(422, 'header.If-Match: must be the ETag of a block, such as "3".');
  }
  return Number(revision);
}
