import { sql } from 'kysely';
import type { SectionOperation } from '../../core/extensions/tools.js';
import type { Block, BlockOperation } from '../../core/blocks/blocks.js';
import type { Author } from './authors.js';
import { changeBlock } from './changes.js';
import { lockBlock } from './writing.js';
import { requireBlock } from './blocks.js';
import type { Tx } from '../db/database.js';
import { asEditedBy, refinementOf } from '../refinement/branches.js';

/**
 * Blocks as their author's edits will find them: locked until the transaction ends, or, in a refinement's turn, on its
 * branches, which nobody else writes. Throws BlockNotFoundError.
 */
export async function holdBlocks(
  tx: Tx,
  author: Author,
  blockIds: readonly string[],
): Promise<readonly Block[]> {
  const refinement = await refinementOf(tx, author);
  const held: Block[] = [];
  // In one order, whoever locks several: two that wait for each other would end in an error.
  for (const id of [...blockIds].sort()) {
    held.push(await (refinement === undefined ? lockBlock(tx, id) : requireBlock(tx, id)));
  }
  return held.map(await asEditedBy(tx, author));
}

/** One edit of several. */
export interface BlockEdit {
  readonly blockId: string;
  readonly operation: SectionOperation;
}

/** The blocks as they are after all of the edits; or why one was refused, written for the model, and none was made. */
export type EditsOutcome =
  { readonly ok: true; readonly blocks: readonly Block[] } | { readonly ok: false; readonly message: string };

/** Makes all of the edits of blocks that are held, in order, or none of them. */
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
      // One effect may make several edits, each once.
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
