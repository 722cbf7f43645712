import { type RawBuilder, sql } from 'kysely';
import type { SoughtTerm } from '../../core/archives/term-choice.js';
import type { Db, Tx } from '../db/database.js';
import { plannedAnew } from '../db/prepared-names.js';
import type { VectorTable } from './vectors.js';

/** How many rows the planner expects to match a condition, from its statistics alone. */
export async function rowsExpected(
  db: Db | Tx,
  table: VectorTable,
  within: RawBuilder<boolean>,
): Promise<number> {
  const result = await sql<{ 'QUERY PLAN': readonly { readonly Plan: { readonly 'Plan Rows': number } }[] }>`
    explain (format json) select from ${sql.table(table)} where ${within}`.execute(db);
  return result.rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
}

/**
 * The share of a table's rows that contain each word, from its statistics. These list the thousand or so most
 * frequent words; any other is rarer than the rarest listed one.
 */
export async function sharesOf(
  db: Db | Tx,
  table: VectorTable,
  lexemes: readonly string[],
): Promise<readonly SoughtTerm[]> {
  // The list of frequencies ends with the lowest, the highest, and that of nulls.
  const result = await sql<SoughtTerm>`${sql.raw(plannedAnew)}
    with frequent as materialized (
      select lexeme, share from pg_stats,
        unnest(most_common_elems::text::text[], most_common_elem_freqs) as known (lexeme, share)
      where schemaname = current_schema() and tablename = ${table} and attname = 'lexemes' and lexeme is not null
    )
    select term, coalesce(share, (select min(share) / 2 from frequent), 0)::float8 as share
    from unnest(${[...lexemes]}::text[]) as term left join frequent on lexeme = term`.execute(db);
  return result.rows;
}
