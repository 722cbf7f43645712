import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/database.js';
import type { Vectors } from './vectors.js';
import { exactVectors } from './vectors-exact.js';
import { pgvectorVectors } from './vectors-pgvector.js';

/** The first version with iterative index scans, which go on where a filter drops most rows. */
const oldestPgvector = '0.8';

/**
 * How this database searches vectors: by pgvector if it is or can be installed, else exactly. Throws where the
 * database has pgvector's indexes but its library is gone, because its tables are then unusable.
 */
export async function openVectors(db: Db): Promise<Vectors> {
  const version = await pgvectorVersion(db);
  if ('missing' in version) return exactVectors(version.missing);
  if (compareVersions(version.installed, oldestPgvector) < 0) {
    return exactVectors(`pgvector ${version.installed} is too old: ${oldestPgvector} or newer is needed.`);
  }
  const failure = await failureOf(sql`select '[1]'::vector`, db);
  if (failure === undefined) return pgvectorVectors(version.installed);
  if (await hasVectorIndexes(db)) {
    throw new Error(
      `This database has indexes made by pgvector, whose library does not load now (${failure}). Give the Postgres server its pgvector back and start again.`,
    );
  }
  return exactVectors(`the library of pgvector does not load (${failure}).`);
}

async function pgvectorVersion(db: Db): Promise<{ installed: string } | { missing: string }> {
  const installed = await installedVersion(db);
  if (installed !== undefined) return { installed };
  const available = await sql`select 1 from pg_available_extensions where name = 'vector'`.execute(db);
  if (available.rows.length === 0) return { missing: 'the Postgres server has no pgvector.' };
  const failure = await failureOf(sql`create extension if not exists vector`, db);
  // Another process may have created the extension first, which fails this attempt.
  const made = await installedVersion(db);
  if (made !== undefined) return { installed: made };
  return { missing: `the extension vector can't be made (${failure ?? 'no reason given'}).` };
}

async function installedVersion(db: Db): Promise<string | undefined> {
  const result = await sql<{ version: string }>`
    select extversion as version from pg_extension where extname = 'vector'`.execute(db);
  return result.rows[0]?.version;
}

async function hasVectorIndexes(db: Db): Promise<boolean> {
  const result = await sql`
    select 1 from pg_class join pg_am on pg_am.oid = pg_class.relam where pg_am.amname = 'hnsw' limit 1`.execute(
    db,
  );
  return result.rows.length > 0;
}

async function failureOf(statement: RawBuilder<unknown>, db: Db): Promise<string | undefined> {
  try {
    await statement.execute(db);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
