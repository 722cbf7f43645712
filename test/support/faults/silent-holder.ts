import { sql } from 'kysely';
import { openDatabase } from '../../../schema/db/database.js';
import { defaultLimits, type WaitLimits } from '../../../schema/db/wait-limits.js';

/** A client that has a row locked, and says nothing more. */
export interface SilentHolder {
  /** Ends its transaction, unless the server has. */
  release(): Promise<void>;
}

/** For somebody to whom none of our limits applies. */
const unlimited: WaitLimits = { ...defaultLimits, statementMs: 0, lockMs: 0, idleTransactionMs: 0 };

/** Locks a thread's row, as a writer does, and goes silent. */
export async function holdThread(
  url: string,
  threadId: string,
  limits: WaitLimits = unlimited,
): Promise<SilentHolder> {
  const database = openDatabase(url, { connections: 1, limits });
  const releasing = new AbortController();
  let transaction: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    transaction = database.db.transaction().execute(async (tx) => {
      await sql`select 1 from threads where id = ${threadId} for update`.execute(tx);
      resolve();
      await new Promise((released) => {
        releasing.signal.addEventListener('abort', released);
      });
    });
    transaction.catch(reject);
  });
  return {
    async release() {
      releasing.abort();
      await transaction.catch(() => undefined);
      await database.close();
    },
  };
}
