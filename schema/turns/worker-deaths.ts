import { sql } from 'kysely';
import { type Db, inTransaction } from '../db/database.js';
import { settleTurn } from './settling.js';
import { lockThread } from '../threads/threads.js';

/** Workers that a turn brought to a standstill, without a new step of it between, after which it is ended. */
const mostStandstills = 3;
/** The same for workers that died with it in hand: whoever kills workers may hit a turn a few times by chance. */
const mostDeaths = 10;

/** Executed by a worker that stands still, before it is ended: `$1` is its key, `$2` the thread that it is stuck in. */
export const standstillStatement = 'update workers set stuck_in = $2 where key = $1';

/** The thread whose turn brought a worker to a standstill; null where none did, or none is known. */
export async function threadStuckIn(db: Db, key: number): Promise<string | null> {
  const row = await db.selectFrom('workers').select('stuck_in').where('key', '=', key).executeTakeFirst();
  return row?.stuck_in ?? null;
}

/**
 * Notes that a worker died with this thread's running turn in hand. Where too many did, without a new step of the turn, it
 * ends as failed: it would only end the next one. Harmless when repeated. Returns the id of the turn that was ended.
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

/** The death of a worker that had a thread's turn in hand. */
interface DeathOfWorker {
  readonly threadId: string;
  /** Of the worker. */
  readonly key: number;
  /** Whether the turn brought it to a standstill. */
  readonly isCause: boolean;
}

function describe(deaths: number, isCause: boolean): string {
  const last = isCause ? ', and it brought the last one to a standstill' : '';
  return `${deaths} workers in a row ended with this turn in hand${last}. The turn was given up, so that others go on. Look at the workers' logs before you send the message again.`;
}
