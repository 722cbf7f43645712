import { sql } from 'kysely';
import type { Db } from '../../../schema/db/database.js';

/**
 * Lets the first `times` inserts into a table fail, as a database does: the transaction is lost. Returns how many
 * were tried. The count is a sequence, because that alone outlives the transactions that fail.
 */
export async function failInserts(
  db: Db,
  table: 'block_revisions' | 'turn_events' | 'effects',
  times: number,
  errcode = '58000',
): Promise<() => Promise<number>> {
  const name = `tried_${table}`;
  await sql.raw(`drop sequence if exists ${name} cascade`).execute(db);
  await sql.raw(`create sequence ${name}`).execute(db);
  await sql
    .raw(
      `create or replace function ${name}_fail() returns trigger language plpgsql as $$
       begin
         if nextval('${name}') <= ${times} then raise exception 'a fault of the test' using errcode = '${errcode}'; end if;
         return new;
       end $$`,
    )
    .execute(db);
  await sql
    .raw(
      `create or replace trigger ${name} before insert on ${table} for each row execute function ${name}_fail()`,
    )
    .execute(db);
  return async () => {
    const { rows } = await sql<{ tried: number }>`
      select case when is_called then last_value else 0 end as tried from ${sql.raw(name)}`.execute(db);
    return Number(rows[0]?.tried);
  };
}
