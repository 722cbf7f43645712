import { sql } from 'kysely';
import type { SectionOperation } from '../../core/extensions/tools.js';
import type { Block, BlockOperation } from '../../core/blocks/blocks.js';
import type { Author } from './authors.js';
import { changeBlock } from './changes.js';
import { lockBlock } from './writing.js';
import { requireBlock } from './blocks.js';
import type { Tx } from '../db/database.js';
import { asEditedBy, refinementOf } from './branches.js';

/**
 * Locks blocks for their author's edits until the transaction ends, and returns them; in a refinement's turn, from
 * its branches, which nobody else writes. Throws BlockNotFoundError.
 */
export async function lockBlocksForEdits(
  tx: Tx,
  author: Author,
  blockIds: readonly string[],
): Promise<readonly Block[]> {
  const refinement = await refinementOf(tx, author);
  const held: Block[] = [];
  // All writers lock in the same order, to avoid deadlocks.
  for (const id of [...blockIds].sort()) {
    held.push(await (refinement === undefined ? lockBlock(tx, id) : requireBlock(tx, id)));
  }
  return held.map(await asEditedBy(tx, author));
}

/** One of several edits. */
export interface BlockEdit {
  readonly blockId: string;
  readonly operation: SectionOperation;
}

/** The blocks after all edits; or, if one was refused and none applied, a message for the model. */
export type EditsOutcome =
  { readonly ok: true; readonly blocks: readonly Block[] } | { readonly ok: false; readonly message: string };

/** Applies all edits to the locked blocks in order, or none. */
export async function editBlocks(
  tx: Tx,
  {
    held,
    edits,
    author,
  }: { readonly held: readonly Block[]; readonly edits: readonly BlockEdit[]; readonly author: Author },
): Promise<EditsOutcome> {
  const blocks = new Map(held.map((block) => [block.id, block]));
  await sql`savepoint edits`.execute(tx);
  for (const [index, { blockId, operation }] of edits.entries()) {
    const revision = blocks.get(blockId)?.revision ?? 0;
    const outcome = await changeBlock(tx, {
      ...author,
      blockId,
      operation: toOperation(operation, revision),
      seenRevision: revision,
      // An effect may make several edits, each once.
      effectId: author.effectId == null ? null : `${author.effectId}/${index}`,
    });
    if (!outcome.ok) {
      await sql`rollback to savepoint edits`.execute(tx);
      return { ok: false, message: outcome.message };
    }
    blocks.set(blockId, outcome.block);
  }
  return { ok: true, blocks: [...blocks.values()] };
}

function toOperation(operation: SectionOperation, revision: number): BlockOperation {
  switch (operation.kind) {
    case 'rewrite':
      return { ...operation, base: revision };
    case 'replace':
      return { ...operation, all: operation.all ?? false };
    default:
      return operation;
  }
}
