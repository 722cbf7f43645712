import { sql } from 'kysely';
import type { Db } from '../../../schema/db/database.js';
import { waitFor } from '../../../stack/waiting.js';

/** Waits until another connection of the database waits for a lock. Throws where none does so in 20 s. */
export async function untilSomebodyWaits(db: Db): Promise<void> {
  const waits = sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const waiting = await waitFor(async () => (await waits.execute(db)).rows[0], {
    timeoutMs: 90_000,
    everyMs: 20,
  });
  if (waiting === undefined) throw new Error('Nobody waits for a lock.');
}
