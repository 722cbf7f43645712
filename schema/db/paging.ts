import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from './tables.js';

/** A page of a list. Cursors are ids of rows that the caller has seen. */
export interface Page {
  /** Only rows before this one in the chosen order, the nearest ones. */
  readonly before?: string | undefined;
  /** Only rows after this one in the chosen order. */
  readonly after?: string | undefined;
  /** The most rows; absent: all. */
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
  | 'identities'
  | 'refinements'
  | 'sources'
  | 'files'
  | 'jobs'
  | 'archives'
  | 'schedules';

/**
 * Runs a query over a table, or a join with it, in pages ordered by (created_at, id). An unknown cursor gives an
 * empty page: clients iterate until they get one, and must never start over.
 */
export async function paged<T extends keyof Tables, Row>(
  table: PagedTable & T,
  query: SelectQueryBuilder<Tables, T, Row>,
  page: Page,
): Promise<Row[]> {
  return pagedBy(table, query, ['created_at', 'id'], page);
}

/** A sort key: a column of the table, or an expression over a row's alias that is never null. */
export type OrderedBy = string | ((alias: string) => RawBuilder<unknown>);

/** Like `paged`, in another order, in which no two rows may be equal. */
export async function pagedBy<T extends keyof Tables, Row>(
  table: PagedTable & T,
  query: SelectQueryBuilder<Tables, T, Row>,
  columns: readonly OrderedBy[],
  page: Page,
): Promise<Row[]> {
  const place = placeIn(table, columns);
  const isDescending = page.order === 'desc';
  // The nearest rows before a cursor are found by walking away from it, then reversed.
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
    narrowed = narrowed.orderBy(valueIn(table, column), direction);
  }
  if (page.limit !== undefined) narrowed = narrowed.limit(page.limit);
  const rows = await narrowed.execute();
  return isBackwards ? rows.reverse() : rows;
}

// A row of nulls for an unknown cursor: every comparison with it is false.
function cursor(table: string, columns: readonly OrderedBy[], id: string) {
  return sql`(select ${placeIn('cursor', columns)} from ${sql.table(table)} as cursor where cursor.id = ${id})`;
}

function placeIn(alias: string, columns: readonly OrderedBy[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => valueIn(alias, column)));
}

function valueIn(alias: string, column: OrderedBy): RawBuilder<unknown> {
  return typeof column === 'string' ? sql.ref(`${alias}.${column}`) : column(alias);
}
