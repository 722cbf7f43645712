import { sql } from 'kysely';
import { allowTime, type Db, inTransaction } from '../db/database.js';
import type { VectorTable } from './vectors.js';

/** Fewer changes are left to autovacuum: so few rows are quickly read. */
const leastChanges = 1_000;

/**
 * Analyzes a table in which more rows have changed than it had when it was last analyzed. Autovacuum does so once a minute; until
 * then PostgreSQL plans searches for the few rows that it knows of, and they read all there are. Returns whether it did.
 */
export async function analyzeIfGrown(db: Db, table: VectorTable): Promise<boolean> {
  const result = await sql<{ grown: boolean }>`
    select n_mod_since_analyze > greatest(reltuples, ${leastChanges}) as grown
    from pg_stat_user_tables join pg_class on pg_class.oid = relid where relid = to_regclass(${table})`.execute(
    db,
  );
  if (result.rows[0]?.grown !== true) return false;
  await inTransaction(db, async (tx) => {
    await allowTime(tx);
    // Does not wait for the build of an index, which holds the same lock.
    await sql`analyze (skip_locked) ${sql.table(table)}`.execute(tx);
  });
  return true;
}
