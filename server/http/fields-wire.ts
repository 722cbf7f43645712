import { z } from 'zod';
import type { Page } from '../../schema/db/paging.js';

/** A whole number that fits the database's column. */
export const int32 = z.int().max(2_147_483_647);

/** A boolean in a query. */
export const queryBoolean = z
  .enum(['true', 'false', 'True', 'False', '1', '0'], { error: 'must be true or false' })
  .transform((text) => /^(true|1)$/i.test(text));

/** A list in a query: the parameter once for each item, or once for a single item. */
export const queryList = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === 'string' ? [given] : given));

/** A time as ISO 8601, kept as text with all its digits. Postgres knows no year 0 and no offset of 16 hours or more. */
export const exactMoment = z.iso
  .datetime({ offset: true, local: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
  .refine((text) => !text.startsWith('0000') && !/[+-](1[6-9]|2\d):\d\d$/.test(text), {
    error: 'must be a time of the year 1 or later, less than 16 hours from UTC',
  })
  .transform((text) => (/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`));

/** A time as ISO 8601. */
export const moment = exactMoment.transform((text) => new Date(text));

/** A JSON object of any shape, stored and returned as it came. */
export const freeObject = z.record(z.string(), z.unknown());

/** A query parameter that Letta knows and this server refuses; `why` says what to do instead. */
export function refusedQuery(why: string): z.ZodOptional<z.ZodNever> {
  return z.never({ error: why }).optional();
}

/** A flag of a body that Letta knows and that can't be set here; `why` says what to do instead. */
export function refusedFlag(why: string): z.ZodOptional<z.ZodNullable<z.ZodLiteral<false>>> {
  return z.literal(false, { error: why }).nullish();
}

/** A field of a body that Letta knows and this server refuses; `why` says what to do instead. */
export function refusedField(why: string): z.ZodOptional<z.ZodNull> {
  return z.null({ error: why }).optional();
}

/** Query parameters that all lists share. */
export interface PageFields {
  readonly before: z.ZodOptional<z.ZodString>;
  readonly after: z.ZodOptional<z.ZodString>;
  readonly limit: z.ZodDefault<z.ZodCoercedNumber>;
  readonly order: z.ZodOptional<z.ZodEnum<{ asc: 'asc'; desc: 'desc' }>>;
  readonly order_by: z.ZodOptional<z.ZodLiteral<'created_at'>>;
  /** The name of `order` in older clients. */
  readonly ascending: z.ZodOptional<typeof queryBoolean>;
}

/** The paging part of a list's query. Cursors are ids of items that the client has seen. */
export function pageFields(cursor: z.ZodString, limit: number): PageFields {
  return {
    before: cursor.optional(),
    after: cursor.optional(),
    limit: z.coerce.number().int().min(1).max(10_000).default(limit),
    order: z.enum(['asc', 'desc']).optional(),
    order_by: z.literal('created_at', { error: 'must be created_at' }).optional(),
    ascending: queryBoolean.optional(),
  };
}

/** The values of `pageFields`. */
export interface PageQuery {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly ascending?: boolean | undefined;
}

/** The page that a query asks for. `order`: the list's own, for a query that names none. */
export function toPage(query: PageQuery, order: 'asc' | 'desc'): Page {
  const older = query.ascending === undefined ? undefined : query.ascending ? 'asc' : 'desc';
  return {
    before: query.before,
    after: query.after,
    limit: query.limit,
    order: query.order ?? older ?? order,
  };
}

/** The fields that have a value: what is neither null nor undefined. */
export function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

/** The fields without those of these names. */
export function without<T extends object, Name extends keyof T>(
  fields: T,
  ...names: readonly Name[]
): Omit<T, Name> {
  const left = new Set<PropertyKey>(names);
  // The compiler can't follow entries back to fields; the filter does what the type says.
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.has(name))) as Omit<T, Name>;
}
