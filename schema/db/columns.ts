import type { ColumnType } from 'kysely';

/** A moment that the database sets, unless a writer gives one. */
export type Moment = ColumnType<Date, Date | undefined, Date>;

/** JSON: read as a value, written as text. */
export type Json<T> = ColumnType<T, string, string>;

/** JSON that may be null. */
export type OptionalJson<T> = ColumnType<T | null, string | null, string | null>;

/** Fields that are kept for clients and not interpreted. */
export type Extras = Json<Record<string, unknown>>;
