import { sql } from 'kysely';
import type { Db } from '../../../schema/db/database.js';
import { inTransaction } from '../../../schema/db/database.js';

/** How many of an old thread's messages are in its context still. */
const inContext = 20;

/** Gives a thread this many messages before those that it has, nearly all of which have left its context. */
export async function placeOld(db: Db, threadId: string, count: number): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`
      update messages set position = position + ${count} where thread_id = ${threadId}`.execute(tx);
    await sql`
      insert into messages (id, agent_id, thread_id, position, kind, body, words, tokens, created_at)
      select 'message-' || gen_random_uuid(), agent_id, thread_id, place, kind, body, words, tokens,
        created_at - (${count} - place) * interval '1 second'
      from generate_series(1, ${count}::int) as place, (
        select * from messages where thread_id = ${threadId} and kind = 'user' limit 1) as pattern`.execute(
      tx,
    );
    await sql`
      update threads set next_position = next_position + ${count}, queue_start = ${count - inContext + 1}
      where id = ${threadId}`.execute(tx);
  });
  await sql`analyze messages`.execute(db);
}
