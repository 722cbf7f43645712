import { createHash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { ToolRequirement, ToolRuntime } from '../../core/tools/custom-tools.js';
import type { ToolSchema } from '../../core/models/model.js';
import { builtinTools } from '../../core/tools/tools.js';
import type { BuiltinTool } from '../../core/tools/builtin-tool.js';
import type { Db, Tx } from '../db/database.js';
import { ToolNotFoundError } from './errors.js';
import { type Page, paged } from '../db/paging.js';
import { containing, toJson } from '../db/storable.js';
import type { ToolsTable } from './tables.js';

/** The condition on rows of the runtime's tools, and the one on all others. A name is unique within each. */
const isBuiltinRow = sql<boolean>`tool_type like 'letta%'`;
export const isOwnRow = sql<boolean>`tool_type not like 'letta%'`;

/** A tool that agents may have. */
export interface Tool {
  readonly id: string;
  readonly name: string;
  readonly toolType: string;
  readonly description: string;
  /** Null for the runtime's tools. */
  readonly sourceType: string | null;
  readonly sourceCode: string | null;
  readonly schema: ToolSchema;
  /** The schema of its arguments from its author, instead of the one from the source. */
  readonly argsSchema: Readonly<Record<string, unknown>> | null;
  /** Packages that its source needs, as its author lists them. */
  readonly requirements: readonly ToolRequirement[];
  /** Empty for tools that aren't custom. */
  readonly runtime: Partial<ToolRuntime>;
  readonly tags: readonly string[];
  /** The most characters of a result that the model sees. */
  readonly returnLimit: number;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * Writes the rows of this version's built-in tools. Repeating it is harmless: a tool keeps its id, which is derived
 * from its name, and its agents.
 */
export async function saveBuiltinTools(db: Db | Tx): Promise<void> {
  await db
    .insertInto('tools')
    .values(builtinTools.map(builtinRow))
    .onConflict((conflict) =>
      conflict
        .column('name')
        .where(isBuiltinRow)
        .doUpdateSet({
          tool_type: sql<string>`excluded.tool_type`,
          description: sql<string>`excluded.description`,
          json_schema: sql<string>`excluded.json_schema`,
          tags: sql<string[]>`excluded.tags`,
          source_type: null,
          source_code: null,
          updated_at: sql<Date>`now()`,
        }),
    )
    .execute();
}

function builtinRow(tool: BuiltinTool) {
  const { name, description, parameters } = tool;
  return {
    id: builtinId(name),
    name,
    tool_type: tool.toolType,
    description,
    source_type: null,
    source_code: null,
    json_schema: toJson({ name, description, parameters }),
    tags: [...tool.tags],
    extras: toJson({}),
  };
}

// Shaped like a random UUID, because clients check ids.
function builtinId(name: string): string {
  const hex = createHash('sha256').update(`builtin tool ${name}`).digest('hex');
  return `tool-${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Filters for tools; absent: all. */
export interface ToolFilter {
  readonly name?: string | undefined;
  readonly names?: readonly string[] | undefined;
  readonly ids?: readonly string[] | undefined;
  /** A part of the name, case-insensitive. */
  readonly query?: string | undefined;
  readonly toolTypes?: readonly string[] | undefined;
  readonly excludedToolTypes?: readonly string[] | undefined;
  /** Only the runtime's tools, or only those that users made, registered or loaded. */
  readonly from?: 'runtime' | 'users' | undefined;
}

/** Tools by creation, paged. */
export async function listTools(db: Db | Tx, filter: ToolFilter, page: Page): Promise<readonly Tool[]> {
  return (await paged('tools', filteredTools(db, filter).selectAll(), page)).map(toTool);
}

export async function countTools(db: Db | Tx, filter: ToolFilter = {}): Promise<number> {
  const row = await filteredTools(db, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

function filteredTools(db: Db | Tx, filter: ToolFilter) {
  let query = db.selectFrom('tools');
  if (filter.name !== undefined) query = query.where('name', '=', filter.name);
  if (filter.names !== undefined) query = query.where('name', '=', sql<string>`any(${[...filter.names]})`);
  if (filter.ids !== undefined) query = query.where('id', '=', sql<string>`any(${[...filter.ids]})`);
  if (filter.query !== undefined) query = query.where('name', 'ilike', containing(filter.query));
  const { toolTypes, excludedToolTypes } = filter;
  if (toolTypes !== undefined) query = query.where('tool_type', '=', sql<string>`any(${[...toolTypes]})`);
  if (excludedToolTypes !== undefined) {
    query = query.where('tool_type', '<>', sql<string>`all(${[...excludedToolTypes]})`);
  }
  if (filter.from !== undefined) query = query.where(filter.from === 'users' ? isOwnRow : isBuiltinRow);
  return query;
}

export async function getTool(db: Db | Tx, toolId: string): Promise<Tool | undefined> {
  const row = await db.selectFrom('tools').selectAll().where('id', '=', toolId).executeTakeFirst();
  return row === undefined ? undefined : toTool(row);
}

/** Throws ToolNotFoundError. */
export async function requireTool(db: Db | Tx, toolId: string): Promise<Tool> {
  const tool = await getTool(db, toolId);
  if (tool === undefined) throw new ToolNotFoundError([toolId]);
  return tool;
}

/** The tool with this name. If the runtime and a user both have one, the runtime's. */
export async function getToolByName(db: Db | Tx, name: string): Promise<Tool | undefined> {
  const row = await namedTools(db, name).orderBy(isBuiltinRow, 'desc').executeTakeFirst();
  return row === undefined ? undefined : toTool(row);
}

/** A user's tool with this name. */
export async function getOwnTool(db: Db | Tx, name: string): Promise<Tool | undefined> {
  const row = await namedTools(db, name).where(isOwnRow).executeTakeFirst();
  return row === undefined ? undefined : toTool(row);
}

function namedTools(db: Db | Tx, name: string) {
  return db.selectFrom('tools').selectAll().where('name', '=', name);
}

export function toTool(row: Selectable<ToolsTable>): Tool {
  return {
    id: row.id,
    name: row.name,
    toolType: row.tool_type,
    description: row.description,
    sourceType: row.source_type,
    sourceCode: row.source_code,
    schema: row.json_schema,
    argsSchema: row.args_schema,
    requirements: row.requirements,
    runtime: row.runtime,
    tags: row.tags,
    returnLimit: row.return_limit,
    extras: row.extras,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
