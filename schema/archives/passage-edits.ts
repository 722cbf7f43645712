import { type RawBuilder, sql } from 'kysely';
import { codePoints } from '../../core/blocks/operations.js';
import { refusePin } from '../../core/archives/pins.js';
import { PassageNotFoundError, PinRefusedError } from './errors.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { identifiersOf } from './identifiers.js';
import { listPins } from './pins.js';
import { type Embedding, ofAgent, type Passage, passageColumns, toPassage } from './passages.js';
import { storable, toJson } from '../db/storable.js';

/** Changes of a passage; absent fields stay. */
export interface PassageEdit {
  /** With its vector. Without one, the text is found by its words alone. */
  readonly text?: { readonly words: string; readonly embedding: Embedding | undefined } | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly createdAt?: Date | undefined;
}

/** A passage in the agent's archives. Throws PassageNotFoundError, also for a part of a file. */
export async function requirePassage(db: Db | Tx, agentId: string, passageId: string): Promise<Passage> {
  const row = await db
    .selectFrom('passages')
    .select(passageColumns)
    .where('passages.id', '=', passageId)
    .where(await ofAgent(db, agentId))
    .executeTakeFirst();
  if (row === undefined) throw new PassageNotFoundError(passageId);
  return toPassage(row);
}

/**
 * Changes a passage of an agent's archives in place. Triggers record the old text in the past of its agents and tell
 * users' own stores. Agents that pinned it see the new text at their next turn. Throws PassageNotFoundError, and
 * PinRefusedError where the new text is too long for an agent that pinned it.
 */
export async function editPassage(
  db: Db | Tx,
  { agentId, passageId }: { readonly agentId: string; readonly passageId: string },
  edit: PassageEdit,
): Promise<Passage> {
  return inTransaction(db, async (tx) => {
    if (edit.text !== undefined) await lockThreadsThatShow(tx, passageId);
    const current = await requirePassage(tx, agentId, passageId);
    const changes = {
      ...(edit.text === undefined ? {} : textColumns(edit.text)),
      ...(edit.metadata === undefined ? {} : { metadata: toJson(edit.metadata) }),
      ...(edit.createdAt === undefined ? {} : { created_at: edit.createdAt }),
    };
    if (Object.keys(changes).length === 0) return current;
    const row = await tx
      .updateTable('passages')
      .set(changes)
      .where('passages.id', '=', passageId)
      .returning(passageColumns)
      .executeTakeFirst();
    if (row === undefined) throw new PassageNotFoundError(passageId);
    if (edit.text !== undefined) await tellPinsAnew(tx, passageId, edit.text.words);
    return toPassage(row);
  });
}

function textColumns({ words, embedding }: NonNullable<PassageEdit['text']>) {
  const kept = storable(words);
  return {
    words: kept,
    identifiers: identifiersOf(kept),
    embedding: embedding === undefined ? null : [...embedding.vector],
    embedding_model: embedding?.model ?? null,
  };
}

/**
 * Locks threads first, as every writer does: a concurrent step either compiles the old text or gets a notice of the
 * new one.
 */
async function lockThreadsThatShow(tx: Tx, passageId: string): Promise<void> {
  await sql`select id from threads where agent_id in ${pinnersOf(passageId)} order by id for update`.execute(
    tx,
  );
}

/**
 * Marks the passage as not yet shown in the epochs of agents that pinned it, so that their next turn shows the new
 * text.
 */
async function tellPinsAnew(tx: Tx, passageId: string, words: string): Promise<void> {
  const { rows } = await sql<{ agentId: string }>`
    select agent_id as "agentId" from pinned_passages where passage_id = ${passageId} order by 1`.execute(tx);
  for (const { agentId } of rows) {
    const others = (await listPins(tx, agentId)).filter((pin) => pin.id !== passageId);
    const sizes = others.map(({ text }) => ({ characters: codePoints(text) }));
    const reason = refusePin(sizes, { characters: codePoints(words) });
    if (reason !== undefined) throw new PinRefusedError(agentId, passageId, reason);
  }
  await sql`
    update epochs set figures = figures || jsonb_build_object('pinned', (figures -> 'pinned') - ${passageId}::text)
    where figures -> 'pinned' ? ${passageId}::text
      and id in (select epoch_id from threads where agent_id in ${pinnersOf(passageId)})`.execute(tx);
}

function pinnersOf(passageId: string): RawBuilder<unknown> {
  return sql`(select agent_id from pinned_passages where passage_id = ${passageId})`;
}
