import { readFileSync, statSync } from 'node:fs';
import { sql } from 'kysely';
import type { Db } from '../../../schema/db/database.js';

/** A part of a plan, as `EXPLAIN (ANALYZE, FORMAT JSON)` has it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement that was run, with how it was. */
export interface Plan {
  readonly statement: string;
  readonly root: PlanNode;
}

/** What a statement read of a table. */
export interface Reading {
  readonly statement: string;
  readonly table: string;
  readonly how: string;
  readonly rows: number;
  /** Pages of 8 kB, each time that it is run. */
  readonly pages: number;
}

/** Writes down the plan of every statement that is run on one database, triggers' and foreign keys' too. */
export interface PlanRecord {
  /** Plans since the last time. */
  read(): readonly Plan[];
  stop(): Promise<void>;
}

/**
 * Has PostgreSQL log the plans of all connections that are opened from now on. `log`: the file that the server writes
 * to. The connection must be a superuser's.
 */
export async function recordPlans(db: Db, log: string): Promise<PlanRecord> {
  const { rows } = await sql<{ name: string }>`select quote_ident(current_database()) as name`.execute(db);
  const database = `alter database ${rows[0]?.name ?? ''}`;
  for (const [name, value] of Object.entries(logging)) {
    await sql.raw(`${database} set ${name} = '${value}'`).execute(db);
  }
  let readUpTo = statSync(log).size;
  return {
    read() {
      const written = readFileSync(log);
      const fresh = written.subarray(readUpTo).toString();
      readUpTo = written.length;
      return parsePlans(fresh);
    },
    async stop() {
      for (const name of Object.keys(logging)) await sql.raw(`${database} reset ${name}`).execute(db);
    },
  };
}

const logging = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_parameter_max_length': '0',
};

/** An entry begins at a line's start; what follows of it is indented by a tab. */
function parsePlans(log: string): readonly Plan[] {
  const entries = log.matchAll(/ plan:\n((?:\t?[{}].*\n|\t.*\n)+)/g);
  return [...entries].map(([, json = '']) => {
    const entry = JSON.parse(json.replaceAll(/^\t/gm, '')) as { 'Query Text': string; Plan: PlanNode };
    return { statement: entry['Query Text'].replaceAll(/\s+/g, ' ').trim(), root: entry.Plan };
  });
}

/** What the statements read of the tables, the largest reading of each statement and table. */
export function readingsOf(plans: readonly Plan[]): readonly Reading[] {
  const largest = new Map<string, Reading>();
  for (const { statement, root } of plans) {
    for (const node of leavesOf(root)) {
      const reading = { statement, ...node };
      const key = `${statement}\n${node.table}`;
      const other = largest.get(key);
      if (other === undefined || reading.rows + reading.pages > other.rows + other.pages) {
        largest.set(key, reading);
      }
    }
  }
  return [...largest.values()];
}

/**
 * The parts that read a table or an index, with what all their runs read together. A part that reads only the rows that
 * the statement changes doesn't count.
 */
function leavesOf(node: PlanNode, table?: string): Omit<Reading, 'statement'>[] {
  const of = node['Relation Name'] ?? table;
  const below = (node.Plans ?? []).flatMap((each) => leavesOf(each, of));
  if (node['Node Type'] === 'ModifyTable') {
    const changed = (node.Plans ?? []).reduce((sum, { 'Actual Rows': rows = 0 }) => sum + rows, 0);
    return below.filter((leaf) => leaf.table !== of || leaf.rows > changed);
  }
  if (!/ Scan$/.test(node['Node Type']) || of === undefined || below.length > 0) return below;
  const loops = node['Actual Loops'] ?? 0;
  const rows =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return [
    {
      table: of,
      how: [node['Node Type'], node['Index Name']].filter(Boolean).join(' '),
      rows: Math.round(rows * loops),
      pages: ((node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0)) / Math.max(1, loops),
    },
  ];
}

/** A table's size. */
export interface TableSize {
  readonly rows: number;
  readonly pages: number;
}

/** The sizes of the tables that have more than this many rows. */
export async function largeTables(db: Db, moreThan: number): Promise<ReadonlyMap<string, TableSize>> {
  const { rows } = await sql<TableSize & { name: string }>`
    select relname as name, reltuples::float8 as rows, relpages as pages from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and reltuples > ${moreThan}`.execute(
    db,
  );
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}

/** A statement that reads more than this share of a large table, and more than a list has, scans it. */
const scannedShare = 0.05;
const listed = { rows: 500, pages: 1_000 };

/** The readings that scan a large table, whatever by. */
export function scansAmong(
  readings: readonly Reading[],
  tables: ReadonlyMap<string, TableSize>,
): readonly Reading[] {
  return readings.filter(({ table, rows, pages }) => {
    const size = tables.get(table);
    if (size === undefined) return false;
    const limit = (all: number, least: number): number => Math.max(scannedShare * all, least);
    return rows > limit(size.rows, listed.rows) || pages > limit(size.pages, listed.pages);
  });
}
