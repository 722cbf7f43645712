import { sql } from 'kysely';
import type { Message, MessageBody } from '../../core/threads/messages.js';
import type { Db } from '../db/database.js';
import { listMessages } from '../threads/messages.js';
import { requireTalk, type Talk } from './talks.js';

/** A message that an agent heard in a talk, from its own transcript or from its queue. */
export interface HeardMessage {
  readonly id: string;
  readonly threadId: string;
  readonly body: MessageBody;
  /** Whether the thread is blocked because a call in it waits for an approval. */
  readonly isHeld: boolean;
}

/** The talk that a turn belongs to; undefined: none. */
export async function findTalkOf(db: Db, turnId: string): Promise<Talk | undefined> {
  const row = await db
    .selectFrom('talk_turns')
    .select('talk_id')
    .where('turn_id', '=', turnId)
    .executeTakeFirst();
  return row === undefined ? undefined : requireTalk(db, row.talk_id);
}

/** All that an agent said and did in a talk, in order. */
export async function listSaidIn(db: Db, talkId: string, agentId: string): Promise<readonly Message[]> {
  const turns = await db
    .selectFrom('talk_turns')
    .select('turn_id')
    .where('talk_id', '=', talkId)
    .where('agent_id', '=', agentId)
    .where('role', '=', 'speaking')
    .orderBy('ordinal')
    .execute();
  const said = turns.flatMap(({ turn_id: turnId }) =>
    turnId === null ? [] : [listMessages(db, { turnId, kinds: ['assistant'] }, {})],
  );
  return (await Promise.all(said)).flat();
}

/** What a talk's agents heard from one sender, in order. Null: a user without a name. */
export async function listHeardIn(
  db: Db,
  talkId: string,
  senderId: string | null,
): Promise<readonly HeardMessage[]> {
  const { rows } = await sql<HeardMessage>`
    select m.id, m.body, m.thread_id as "threadId", threads.awaiting_step is not null as "isHeld"
    from talk_turns tt join messages m on m.turn_id = tt.turn_id
      join threads on threads.id = m.thread_id join agents on agents.id = m.agent_id
    where tt.talk_id = ${talkId} and m.step_id is null and m.sender_id is not distinct from ${senderId}
      and m.kind in ('user', 'system') and agents.deleted_at is null
    order by tt.ordinal, m.position, m.created_at, m.id`.execute(db);
  return rows;
}
