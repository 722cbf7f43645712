import { type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from './tables.js';

/** Which part of a list, and in which order. A cursor is the id of a row that the caller has seen. */
export interface Page {
  /** Only rows that come before this one in the chosen order, the nearest ones. */
  readonly before?: string | undefined;
  /** Only rows that come after this one in the chosen order. */
  readonly after?: string | undefined;
  /** Rows at most; absent: all. */
  readonly limit?: number | undefined;
  /** Default 'asc': oldest first. */
  readonly order?: 'asc' | 'desc' | undefined;
}

type PagedTable =
  | 'agents'
  | 'tools'
  | 'blocks'
  | 'threads'
  | 'turns'
  | 'steps'
  | 'passages'
  | 'messages'
  | 'groups'
  | 'refinements'
  | 'sources'
  | 'files'
  | 'jobs'
  | 'archives'
  | 'schedules';

/**
 * Runs a query over one of the tables, or a join with it, page by page in the order of (created_at, id). A cursor that
 * names no row gives an empty page: clients iterate until they get one, and must never start over.
 */
export async function paged<T extends keyof Tables, Row>(
  table: PagedTable & T,
  query: SelectQueryBuilder<Tables, T, Row>,
  page: Page,
): Promise<Row[]> {
  return pagedBy(table, query, ['created_at', 'id'], page);
}

/** Like `paged`, in the order of other columns of the table; together they must tell its rows apart. */
export async function pagedBy<T extends keyof Tables, Row>(
  table: PagedTable & T,
  query: SelectQueryBuilder<Tables, T, Row>,
  columns: readonly string[],
  page: Page,
): Promise<Row[]> {
  const place = sql.join(columns.map((column) => sql.ref(`${table}.${column}`)));
  const isDescending = page.order === 'desc';
  // The rows nearest before a cursor are found by walking away from it, and turned round afterwards.
  const isBackwards = page.before !== undefined && page.after === undefined;
  const forwards = sql.raw(isDescending ? '<' : '>');
  const backwards = sql.raw(isDescending ? '>' : '<');
  let narrowed = query;
  if (page.after !== undefined) {
    narrowed = narrowed.where(sql<boolean>`(${place}) ${forwards} ${cursor(table, columns, page.after)}`);
  }
  if (page.before !== undefined) {
    narrowed = narrowed.where(sql<boolean>`(${place}) ${backwards} ${cursor(table, columns, page.before)}`);
  }
  const direction = isDescending === isBackwards ? 'asc' : 'desc';
  for (const column of columns) {
    narrowed = narrowed.orderBy(sql.ref(`${table}.${column}`), direction);
  }
  if (page.limit !== undefined) narrowed = narrowed.limit(page.limit);
  const rows = await narrowed.execute();
  return isBackwards ? rows.reverse() : rows;
}

// A row of nulls where there is no such row: comparisons with it hold for nothing.
function cursor(table: string, columns: readonly string[], id: string) {
  const place = sql.join(columns.map((column) => sql.ref(`cursor.${column}`)));
  return sql`(select ${place} from ${sql.table(table)} as cursor where cursor.id = ${id})`;
}
