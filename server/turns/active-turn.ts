import type { Db } from '../../schema/db/database.js';
import type { Turn } from '../../schema/turns/records.js';
import { listTurns } from '../../schema/turns/turns.js';

/** The newest turn of a thread that waits or runs. */
export async function newestActive(db: Db, threadId: string): Promise<Turn | undefined> {
  const states = ['created', 'running'] as const;
  return (await listTurns(db, { threadId, states }, { order: 'desc', limit: 1 }))[0];
}
