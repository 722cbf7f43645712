import { getAgent } from '../agents/agents.js';
import type { Tx } from '../db/database.js';
import { insertPassages, type NewPassage } from '../archives/passages.js';
import type { Refinement } from './refinements.js';
import { storable } from '../db/storable.js';

/** Stores passages with the running refinement until it ends. A passage whose id exists stays unchanged. */
export async function holdPassages(
  tx: Tx,
  refinementId: string,
  passages: readonly (Pick<NewPassage, 'text' | 'embedding'> & { readonly id: string })[],
): Promise<void> {
  if (passages.length === 0) return;
  const rows = passages.map(({ id, text, embedding }) => ({
    ...{ id, refinement_id: refinementId, words: storable(text) },
    embedding: embedding === undefined ? null : [...embedding.vector],
    embedding_model: embedding?.model ?? null,
  }));
  await tx
    .insertInto('refinement_passages')
    .values(rows)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Stores the refinement's passages for the agent whose memory it refined, if that agent exists. */
export async function storeHeldPassages(tx: Tx, { id, agentId }: Refinement): Promise<void> {
  const held = await takeHeld(tx, id);
  if (held.length === 0 || (await getAgent(tx, agentId)) === undefined) return;
  await insertPassages(
    tx,
    agentId,
    held.map(({ id: passageId, words, embedding, embedding_model: model }) => ({
      ...{ id: passageId, text: words },
      ...(embedding === null || model === null ? {} : { embedding: { vector: embedding, model } }),
    })),
  );
}

/** Drops the refinement's passages, together with its edits. */
export async function dropHeldPassages(tx: Tx, refinementId: string): Promise<void> {
  await takeHeld(tx, refinementId);
}

function takeHeld(tx: Tx, refinementId: string) {
  return tx
    .deleteFrom('refinement_passages')
    .where('refinement_id', '=', refinementId)
    .returning(['id', 'words', 'embedding', 'embedding_model'])
    .execute();
}
