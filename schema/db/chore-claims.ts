import { sql } from 'kysely';
import type { Db, Tx } from './database.js';

/** A request to take over chores. */
export interface ChoreClaim {
  readonly names: readonly string[];
  /** Names the worker. */
  readonly holder: string;
  /** A chore begun within this time, in ms, is not due. 0: due unless another worker has it. */
  readonly everyMs: number;
  /** How long the worker may hold a chore, in ms. After that it counts as dead. */
  readonly holdMs: number;
}

/**
 * Takes over those chores that are due and free, and returns their names. Each is held by one worker at a time and
 * begun once per interval, however many workers ask. Times are the database's. Uses a row rather than a session lock,
 * because a pooler may give each statement another session.
 */
export async function claimChores(
  db: Db | Tx,
  { names, holder, everyMs, holdMs }: ChoreClaim,
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

/** Releases a finished chore. Does nothing where another worker holds it by now. */
export async function releaseChore(db: Db | Tx, name: string, holder: string): Promise<void> {
  await sql`
    update upkeep set held_until = null, holder = null
    where name = ${name} and holder = ${holder}`.execute(db);
}
