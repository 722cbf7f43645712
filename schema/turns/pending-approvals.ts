import type { Db, Tx } from '../db/database.js';

/** Calls of one answer that wait for a decision. */
export interface PendingApproval {
  /** The answer with the calls. */
  readonly messageId: string;
  readonly toolCallIds: readonly string[];
}

/** The calls that wait for a decision in a thread. */
export async function pendingApproval(db: Db | Tx, threadId: string): Promise<PendingApproval | undefined> {
  const rows = await db
    .selectFrom('threads')
    .innerJoin('effects', 'effects.step_id', 'threads.awaiting_step')
    .innerJoin('steps', 'steps.id', 'effects.step_id')
    .select(['effects.tool_call_id', 'steps.answer_message_id'])
    .where('threads.id', '=', threadId)
    .where('effects.state', '=', 'awaiting')
    .where('effects.decision', 'is', null)
    .orderBy('effects.index')
    .execute();
  const messageId = rows[0]?.answer_message_id;
  if (messageId == null) return undefined;
  return { messageId, toolCallIds: rows.map((row) => row.tool_call_id) };
}
