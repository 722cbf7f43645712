import { type RawBuilder, sql } from 'kysely';
import { type PinnedPassage, refusePin } from '../../core/archives/pins.js';
import { codePoints } from '../../core/blocks/operations.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { PassageNotFoundError, PinRefusedError } from './errors.js';
import { inReachOf } from './passages.js';

/**
 * Pins a passage in reach of an agent, so that its context shows it from the next turn on. Harmless where it is
 * pinned already. Throws PassageNotFoundError, PinRefusedError.
 */
export async function pinPassage(db: Db | Tx, agentId: string, passageId: string): Promise<PinnedPassage> {
  return inTransaction(db, async (tx) => {
    await holdPins(tx, agentId);
    const passage = await tx
      .selectFrom('passages')
      .select(['passages.id', 'passages.words as text'])
      .where('passages.id', '=', passageId)
      .where(await inReachOf(tx, agentId))
      .executeTakeFirst();
    if (passage === undefined) throw new PassageNotFoundError(passageId);
    const pinned = await listPins(tx, agentId);
    if (pinned.some((pin) => pin.id === passageId)) return passage;
    const reason = refusePin(pinned.map(toSize), toSize(passage));
    if (reason !== undefined) throw new PinRefusedError(agentId, passageId, reason);
    await tx
      .insertInto('pinned_passages')
      .values({ agent_id: agentId, passage_id: passageId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return passage;
  });
}

/**
 * Only one change of an agent's pins at a time: two concurrent ones could exceed the limit, or deadlock. The thread's
 * lock is no use here, because a tool call already holds it.
 */
async function holdPins(tx: Tx, agentId: string): Promise<void> {
  await sql`select from agent_archives where agent_id = ${agentId} and is_owner for update`.execute(tx);
}

function toSize({ text }: PinnedPassage): { readonly characters: number } {
  return { characters: codePoints(text) };
}

/** Unpins a passage of an agent. Returns false where it was not pinned. */
export async function unpinPassage(db: Db | Tx, agentId: string, passageId: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    await holdPins(tx, agentId);
    const row = await tx
      .deleteFrom('pinned_passages')
      .where('agent_id', '=', agentId)
      .where('passage_id', '=', passageId)
      .returning('passage_id')
      .executeTakeFirst();
    return row !== undefined;
  });
}

/** The passages that an agent has pinned and can still reach, in the order of pinning. */
export async function listPins(db: Db | Tx, agentId: string): Promise<readonly PinnedPassage[]> {
  const { rows } = await sql<PinnedPassage>`
    select passages.id, passages.words as text from ${pinsOf(sql`${agentId}`)}
    order by pinned_passages.pinned_at, passages.id`.execute(db);
  return rows;
}

/** Their ids as an expression for a larger query; null where there are none. */
export function pinnedIds(agentId: string): RawBuilder<readonly string[] | null> {
  return sql`(
    select json_agg(passages.id order by pinned_passages.pinned_at, passages.id) from ${pinsOf(sql`${agentId}`)}
  )`;
}

// Skips passages whose archive or source was detached since.
function pinsOf(agentId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`pinned_passages join passages on passages.id = pinned_passages.passage_id
    where pinned_passages.agent_id = ${agentId} and (
      passages.archive_id in (select archive_id from agent_archives where agent_id = ${agentId})
      or passages.source_id in (select source_id from agent_sources where agent_id = ${agentId}))`;
}

/** A change of pins that a tool's result shows. */
export interface ShownPin {
  readonly epochId: string | null;
  readonly passageId: string;
  readonly is: 'pinned' | 'unpinned';
}

/**
 * Records that an epoch's transcript shows one passage as pinned or unpinned. Other changes of pins are still to be
 * shown. Does nothing before the first epoch.
 */
export async function recordShownPin(tx: Tx, { epochId, passageId, is }: ShownPin): Promise<void> {
  const others = sql`coalesce(figures -> 'pinned', '[]'::jsonb) - ${passageId}::text`;
  const pinned = is === 'pinned' ? sql`(${others}) || jsonb_build_array(${passageId}::text)` : others;
  await sql`
    update epochs set figures = figures || jsonb_build_object('pinned', ${pinned}) where id = ${epochId}`.execute(
    tx,
  );
}
