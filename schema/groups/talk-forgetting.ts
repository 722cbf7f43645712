import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.js';
import { settleTurn } from '../turns/settling.js';
import { endTalk } from './talk-progress.js';
import { lockTalksAndThreads } from './talks.js';
import type { Thread } from '../threads/threads.js';

/**
 * Removes from a locked thread all that a group's talks added to it: what the agent heard, and what it thought, said
 * and did in their turns. Its other messages stay. The prompt is compiled again, because the removed messages may
 * have included notices about memory.
 */
export async function forgetTalks(tx: Tx, thread: Thread, groupId: string): Promise<void> {
  const turns = sql`(
    select tt.turn_id from talk_turns tt join talks k on k.id = tt.talk_id where k.group_id = ${groupId})`;
  // A call that was approved in a later turn is removed together with its result.
  await sql`
    delete from messages where thread_id = ${thread.id} and position is not null and (
      turn_id in ${turns} or id in (select result_message_id from effects where turn_id in ${turns}))`.execute(
    tx,
  );
  await sql`
    update effects set state = 'done', status = 'error', completed_at = clock_timestamp()
    where state in ('awaiting', 'held') and turn_id in ${turns}
      and step_id in (select id from steps where thread_id = ${thread.id})`.execute(tx);
  await sql`
    update threads set epoch_id = null,
      awaiting_step = case when awaiting_step in (select id from steps where turn_id in ${turns}) then null
        else awaiting_step end
    where id = ${thread.id}`.execute(tx);
}

/** Agents whose default threads hold something of the group's talks. */
export async function agentsThatHeard(db: Db, groupId: string): Promise<readonly string[]> {
  const result = await sql<{ agentId: string }>`
    select distinct tt.agent_id as "agentId" from talk_turns tt join talks k on k.id = tt.talk_id
    join agents a on a.id = tt.agent_id
    where k.group_id = ${groupId} and a.deleted_at is null order by 1`.execute(db);
  return result.rows.map(({ agentId }) => agentId);
}

/** Cancels a group's unfinished talks and the turn that they wait for. Returns that turn. */
export async function cancelTalks(tx: Tx, groupId: string): Promise<readonly string[]> {
  await lockTalksAndThreads(tx, groupId);
  const open = await sql<{ talkId: string; turnId: string | null }>`
    select k.id as "talkId", tt.turn_id as "turnId" from talks k
    left join talk_turns tt on tt.talk_id = k.id and tt.stop_reason is null
    where k.group_id = ${groupId} and k.completed_at is null order by k.seq`.execute(tx);
  const turnIds = open.rows.flatMap(({ turnId }) => (turnId === null ? [] : [turnId]));
  for (const turnId of turnIds) await settleTurn(tx, { turnId, stopReason: 'cancelled' });
  for (const { talkId } of open.rows) await endTalk(tx, talkId, 'cancelled');
  return turnIds;
}
