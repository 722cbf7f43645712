import { sql } from 'kysely';
import type { Db } from '../../../schema/db/database.js';

/** The tables of the database that hold this text anywhere. */
export async function tablesWith(db: Db, text: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db);
  const found: string[] = [];
  for (const { name } of rows) {
    const table = sql.table(name);
    const held =
      await sql`select from ${table} as held where position(${text} in held::text) > 0 limit 1`.execute(db);
    if (held.rows.length > 0) found.push(name);
  }
  return found;
}
