import { sql } from 'kysely';
import type { Db, Tx } from './database.js';

/** Who does something, and how often it is to be done. */
export interface UpkeepTurn {
  readonly names: readonly string[];
  /** Names the worker that takes it. */
  readonly holder: string;
  /** What was begun within this time, in ms, is not begun again. 0: it is, unless somebody has it in hand. */
  readonly everyMs: number;
  /** For how long the worker has it to itself at most, in ms: then it counts as dead. */
  readonly holdMs: number;
}

/**
 * Takes what is due and what nobody has in hand; returns its names. However many workers ask, each thing is in one pair
 * of hands, and is begun once in its time. Times are the database's. A row and no session's lock: a pooler may give
 * each statement another session.
 */
export async function takeUpkeep(
  db: Db | Tx,
  { names, holder, everyMs, holdMs }: UpkeepTurn,
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    with free as (
      select wanted.name from unnest(${[...names]}::text[]) as wanted (name)
      where not exists (
        select from upkeep where upkeep.name = wanted.name and (held_until >= now() or ${isRecent(everyMs)}))
      -- Rows in one order, so that no two workers wait for each other in a circle.
      order by wanted.name
    )
    insert into upkeep (name, begun_at, held_until, holder)
    select name, now(), now() + ${holdMs} * interval '1 millisecond', ${holder} from free
    on conflict (name) do update
      set begun_at = excluded.begun_at, held_until = excluded.held_until, holder = excluded.holder
      where (upkeep.held_until is null or upkeep.held_until < now()) and not ${isRecent(everyMs)}
    returning name`.execute(db);
  return rows.map(({ name }) => name);
}

function isRecent(everyMs: number) {
  return sql<boolean>`upkeep.begun_at > now() - ${everyMs} * interval '1 millisecond'`;
}

/** Says that it is done. Does nothing where another has it by now. */
export async function releaseUpkeep(db: Db | Tx, name: string, holder: string): Promise<void> {
  await sql`
    update upkeep set held_until = null, holder = null
    where name = ${name} and holder = ${holder}`.execute(db);
}
