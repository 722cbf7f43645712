import { sql } from 'kysely';
import { isTakeable } from './awaiting.js';
import type { Db, Tx } from '../db/database.js';

/** The most threads: far more than are silent at once, and few enough for a process to hold. */
const most = 50_000;

/**
 * Threads with a delivery that was not claimed within `patienceMs`, or with a running turn that was silent for as
 * long. Whether they have an open execution, Temporal knows.
 */
export async function threadsToWake(
  db: Db | Tx,
  patienceMs: number,
): Promise<readonly { threadId: string; agentId: string }[]> {
  const result = await sql<{ threadId: string; agentId: string }>`
    select th.id as "threadId", th.agent_id as "agentId"
    from threads th join agents a on a.id = th.agent_id
    where a.deleted_at is null and th.deleted_at is null and th.id in (
      select d.thread_id from deliveries d join threads th on th.id = d.thread_id
        where d.state = 'waiting' and ${isTakeable}
          and d.created_at < now() - ${patienceMs} * interval '1 millisecond'
      union
      select thread_id from turns
        where state = 'running' and touched_at < now() - ${patienceMs} * interval '1 millisecond'
    )
    -- At random: where there are more, each still gets its turn.
    order by random() limit ${most}`.execute(db);
  return result.rows;
}
