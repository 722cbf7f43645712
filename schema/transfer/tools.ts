import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { TransferredTool } from '../../core/transfer/transfer.js';
import { ToolsDifferError } from './errors.js';
import {
  createCustomTool,
  type ToolDefinition,
  type ToolFields,
  updateCustomTool,
} from '../tools/custom-tools.js';
import type { Tx } from '../db/database.js';
import { storable } from '../db/storable.js';
import { type Tool, toTool } from '../tools/tools.js';

/** A tool of a transfer with its definition; no definition: a tool of a server. */
export interface ToolToPlace {
  readonly tool: TransferredTool;
  readonly definition: (ToolDefinition & ToolFields) | undefined;
}

/** The rows of a transfer's tools. */
export interface PlacedTools {
  /** Ids of rows by the transfer's ids. */
  readonly ids: ReadonlyMap<string, string>;
  /** Names of unknown tools. */
  readonly missing: readonly string[];
}

/**
 * Finds the tools of a transfer by name, and creates missing custom ones. An identical tool is kept. A different one
 * of the same name is replaced if `replaces` allows it. Throws ToolsDifferError, and ToolNameTakenError where an
 * extension's or an MCP server's tool has the name.
 */
export async function placeTools(
  tx: Tx,
  tools: readonly ToolToPlace[],
  { replaces }: { readonly replaces: boolean },
): Promise<PlacedTools> {
  const here = await findByName(tx, tools.map(nameOf));
  const differing = tools.filter(({ definition, tool }) => {
    const other = here.custom.get(nameOf({ definition, tool }));
    return definition !== undefined && other !== undefined && !isSame(other, definition);
  });
  if (differing.length > 0 && !replaces) throw new ToolsDifferError(differing.map(nameOf));
  const ids = new Map<string, string>();
  const missing: string[] = [];
  for (const one of tools) {
    const id = await place(tx, one, here);
    if (id === undefined) missing.push(one.tool.name);
    else ids.set(one.tool.id, id);
  }
  return { ids, missing };
}

/** A custom tool has the name of its source's function. */
function nameOf({ tool, definition }: ToolToPlace): string {
  return definition?.schema.name ?? tool.name;
}

/** Tools by name. A custom one may share its name with one of the runtime's. */
interface NamedTools {
  readonly custom: ReadonlyMap<string, Tool>;
  readonly others: ReadonlyMap<string, Tool>;
}

async function findByName(tx: Tx, names: readonly string[]): Promise<NamedTools> {
  const rows = await tx
    .selectFrom('tools')
    .selectAll()
    .where('name', '=', sql<string>`any(${[...names]})`)
    .orderBy('id')
    .forUpdate()
    .execute();
  const byName = (isCustom: boolean) =>
    new Map(
      rows
        .filter((row) => (row.tool_type === 'custom') === isCustom)
        .map((row) => [row.name, toTool(row)] as const),
    );
  return { custom: byName(true), others: byName(false) };
}

async function place(tx: Tx, one: ToolToPlace, here: NamedTools): Promise<string | undefined> {
  const { definition } = one;
  if (definition === undefined) return here.others.get(nameOf(one))?.id;
  const custom = here.custom.get(nameOf(one));
  if (custom === undefined) return (await createCustomTool(tx, definition)).id;
  if (!isSame(custom, definition)) await updateCustomTool(tx, custom.id, definition);
  return custom.id;
}

function isSame(here: Tool, { schema, sourceCode, argsSchema, activity }: ToolDefinition): boolean {
  return (
    here.sourceCode === (sourceCode === null ? null : storable(sourceCode)) &&
    isDeepStrictEqual(here.schema, asJson(schema)) &&
    isDeepStrictEqual(here.argsSchema, asJson(argsSchema)) &&
    isDeepStrictEqual(here.extras['activity'], asJson(activity))
  );
}

/** In the form in which jsonb returns it. */
function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
