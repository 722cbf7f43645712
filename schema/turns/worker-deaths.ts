import { sql } from 'kysely';
import { type Db, inTransaction } from '../db/database.js';
import { settleTurn } from './settling.js';
import { lockThread } from '../threads/threads.js';

/** A turn is ended after it blocked this many workers' event loops without a new step in between. */
const mostStandstills = 3;
/**
 * The same for workers that died while running it. The limit is higher, because something that kills workers may hit the
 * same turn by chance.
 */
const mostDeaths = 10;

/** Run by a blocked worker before it exits. `$1`: its key, `$2`: the thread that blocks it. */
export const standstillStatement = 'update workers set stuck_in = $2 where key = $1';

/** The thread whose turn blocked a worker; null: none or unknown. */
export async function threadStuckIn(db: Db, key: number): Promise<string | null> {
  const row = await db.selectFrom('workers').select('stuck_in').where('key', '=', key).executeTakeFirst();
  return row?.stuck_in ?? null;
}

/**
 * Records that a worker died while it ran this thread's turn. After too many deaths without a new step, the turn
 * fails, because it would kill the next worker too. Harmless when repeated. Returns the id of the ended turn.
 */
export async function countDeath(
  db: Db,
  { threadId, key, isCause }: DeathOfWorker,
): Promise<string | undefined> {
  return inTransaction(db, async (tx) => {
    await lockThread(tx, threadId);
    const { rows } = await sql<{ id: string; deaths: number }>`
      update turns set died_at_step = steps, died_with = ${key}, deaths = case
        when died_with = ${key} then deaths
        when steps > died_at_step then 1
        else deaths + 1 end
      where thread_id = ${threadId} and state = 'running'
      returning id, deaths`.execute(tx);
    const turn = rows.find(({ deaths }) => deaths >= (isCause ? mostStandstills : mostDeaths));
    if (turn === undefined) return undefined;
    const error = { type: 'Turn.Deadly', message: describe(turn.deaths, isCause) };
    await settleTurn(tx, { turnId: turn.id, stopReason: 'error', error });
    return turn.id;
  });
}

/** The death of a worker that ran a thread's turn. */
interface DeathOfWorker {
  readonly threadId: string;
  /** The worker's. */
  readonly key: number;
  /** Whether the turn blocked the worker's event loop. */
  readonly isCause: boolean;
}

function describe(deaths: number, isCause: boolean): string {
  const last = isCause ? ', and the turn blocked the last one' : '';
  return `${deaths} workers in a row died while running this turn${last}. The turn was given up. Check the workers' logs before you send the message again.`;
}
