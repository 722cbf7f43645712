import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';

/** A range of a thread's transcript that a partner has not processed. */
export interface Unread {
  readonly threadId: string;
  readonly isDefault: boolean;
  readonly from: number;
  readonly to: number;
  /** Whether more messages follow that did not fit. */
  readonly cut: boolean;
}

/**
 * The unread messages of the agent's threads for a partner: those after each watermark, up to `tokens` together, and
 * at least one message.
 */
export async function unreadRanges(
  tx: Tx,
  reader: { readonly partnerId: string; readonly agentId: string; readonly tokens: number },
): Promise<readonly Unread[]> {
  const { rows } = await sql<{
    threadId: string;
    isDefault: boolean;
    from: number;
    to: number;
    last: number;
  }>`
    with unread as (
      select m.thread_id, m.position, m.created_at, th.is_default,
        sum(m.tokens) over (order by th.is_default desc, m.thread_id, m.position) - m.tokens as before
      from threads th
      join messages m on m.thread_id = th.id and m.position is not null
      left join watermarks w on w.thread_id = th.id and w.partner_id = ${reader.partnerId}
      where th.agent_id = ${reader.agentId} and m.position > coalesce(w.position, -1)
    )
    select thread_id as "threadId", is_default as "isDefault", min(position) as "from",
      max(position) filter (where before = 0 or before < ${reader.tokens}) as "to", max(position) as last
    from unread group by thread_id, is_default
    having count(*) filter (where before = 0 or before < ${reader.tokens}) > 0
    order by is_default desc, thread_id`.execute(tx);
  return rows.map(({ last, ...range }) => ({ ...range, cut: range.to < last }));
}

/** Moves the partner's watermark in a thread forward, never back. */
export async function moveWatermark(
  tx: Tx,
  mark: { readonly partnerId: string; readonly threadId: string; readonly position: number },
): Promise<void> {
  await tx
    .insertInto('watermarks')
    .values({ partner_id: mark.partnerId, thread_id: mark.threadId, position: mark.position })
    .onConflict((conflict) =>
      conflict.columns(['partner_id', 'thread_id']).doUpdateSet({
        position: sql<number>`greatest(watermarks.position, excluded.position)`,
        updated_at: sql<Date>`clock_timestamp()`,
      }),
    )
    .execute();
}

/** Marks a thread as read up to a position for the agent's partners, which processed its messages elsewhere. */
export async function markAsRead(
  tx: Tx,
  mark: { readonly agentId: string; readonly threadId: string; readonly position: number },
): Promise<void> {
  await sql`
    insert into watermarks (partner_id, thread_id, position)
    select distinct members.agent_id, ${mark.threadId}, ${mark.position}::bigint
    from groups g join group_agents members on members.group_id = g.id
    where g.manager_agent_id = ${mark.agentId} and g.manager_type in ('sleeptime', 'voice_sleeptime')
    on conflict (partner_id, thread_id) do nothing`.execute(tx);
}

/** The partner's watermark in a thread; undefined: nothing read yet. */
export async function readWatermark(
  db: Db | Tx,
  partnerId: string,
  threadId: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('watermarks')
    .select('position')
    .where('partner_id', '=', partnerId)
    .where('thread_id', '=', threadId)
    .executeTakeFirst();
  return row?.position;
}
