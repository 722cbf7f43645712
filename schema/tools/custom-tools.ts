import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ActivityTarget } from '../../core/tools/activity-tools.js';
import type { SourceType, ToolRequirement, ToolRuntime } from '../../core/tools/custom-tools.js';
import type { ToolSchema } from '../../core/models/model.js';
import { builtinOf } from '../../core/tools/tools.js';
import { type Db, inTransaction, type Tx } from '../db/database.js';
import { AgentHasToolError, ToolNameTakenError, ToolNotCustomError, ToolNotFoundError } from './errors.js';
import { storable, toJson } from '../db/storable.js';
import { getOwnTool, isOwnRow, requireTool, type Tool, toTool } from './tools.js';

/** The definition of a custom tool. Its schema has its name. */
export interface ToolDefinition {
  readonly description: string;
  readonly sourceType: SourceType;
  /** Null: it calls an activity. */
  readonly sourceCode: string | null;
  /** The activity, for source type `temporal`. */
  readonly activity?: ActivityTarget;
  readonly schema: ToolSchema;
  readonly argsSchema: Readonly<Record<string, unknown>> | null;
  readonly runtime: Partial<ToolRuntime>;
}

/** Settings of a tool besides its definition. Absent: unchanged, or the default of a new tool. */
export interface ToolFields {
  readonly requirements?: readonly ToolRequirement[];
  readonly tags?: readonly string[];
  readonly returnLimit?: number;
  /** Fields of the REST API that are stored and returned. Given ones replace those of the same name. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** Creates a custom tool. Throws ToolNameTakenError. */
export async function createCustomTool(db: Db, tool: ToolDefinition & ToolFields): Promise<Tool> {
  const row = await insertion(db, tool)
    .onConflict((conflict) => conflict.column('name').where(isOwnRow).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw await nameTaken(db, tool.schema.name);
  return toTool(row);
}

/**
 * Creates a custom tool, or changes the one with this name, which keeps its id, its agents and what is not given.
 * Throws ToolNameTakenError where a tool that isn't custom has the name.
 */
export async function upsertCustomTool(db: Db, tool: ToolDefinition & ToolFields): Promise<Tool> {
  const row = await insertion(db, tool)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .where(isOwnRow)
        .doUpdateSet(changes(tool))
        .where('tools.tool_type', '=', 'custom'),
    )
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw await nameTaken(db, tool.schema.name);
  return toTool(row);
}

/** Changes a custom tool. Throws ToolNotFoundError, ToolNotCustomError, ToolNameTakenError, AgentHasToolError. */
export async function updateCustomTool(
  db: Db,
  toolId: string,
  patch: Partial<ToolDefinition> & ToolFields,
): Promise<Tool> {
  return inTransaction(db, async (tx) => {
    const tool = await requireCustomTool(tx, toolId);
    const name = patch.schema?.name ?? tool.name;
    const holder = name === tool.name ? undefined : await getOwnTool(tx, name);
    if (holder !== undefined) throw new ToolNameTakenError(name, holder.toolType !== 'custom');
    if (name !== tool.name) {
      // The row's lock waits for concurrent attachments, which also lock it (`attachTools`), so all agents are seen.
      await sql`select from tools where id = ${toolId} for no key update`.execute(tx);
      await refuseTwoOfAName(tx, toolId, name);
    }
    const row = await tx
      .updateTable('tools')
      .set(changes(patch))
      .where('id', '=', toolId)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw new ToolNotFoundError([toolId]);
    return toTool(row);
  });
}

/**
 * Deletes a custom tool and detaches it from its agents. A tool of the runtime is only detached from all agents:
 * Letta creates it again. Throws ToolNotFoundError and ToolNotCustomError.
 */
export async function deleteTool(db: Db, toolId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const tool = await requireTool(tx, toolId);
    if (builtinOf(tool) !== undefined) {
      await tx.deleteFrom('agent_tools').where('tool_id', '=', toolId).execute();
      return;
    }
    await requireCustomTool(tx, toolId);
    await tx.deleteFrom('tools').where('id', '=', toolId).execute();
  });
}

async function requireCustomTool(tx: Tx, toolId: string): Promise<Tool> {
  const tool = await requireTool(tx, toolId);
  if (tool.toolType !== 'custom') throw new ToolNotCustomError(tool.name);
  return tool;
}

/** Renaming must not give an agent two tools with one name, because we can't decide which one to detach. */
async function refuseTwoOfAName(tx: Tx, toolId: string, name: string): Promise<void> {
  const both = await tx
    .selectFrom('agent_tools as mine')
    .innerJoin('agent_tools as other', 'other.agent_id', 'mine.agent_id')
    .innerJoin('tools', 'tools.id', 'other.tool_id')
    .innerJoin('agents', 'agents.id', 'mine.agent_id')
    .select('agents.id')
    .where('mine.tool_id', '=', toolId)
    .where('tools.name', '=', name)
    .where('agents.deleted_at', 'is', null)
    .orderBy('agents.id')
    .executeTakeFirst();
  if (both !== undefined) throw new AgentHasToolError(name, both.id);
}

async function nameTaken(db: Db, name: string): Promise<ToolNameTakenError> {
  const holder = await getOwnTool(db, name);
  return new ToolNameTakenError(name, holder !== undefined && holder.toolType !== 'custom');
}

function insertion(db: Db, tool: ToolDefinition & ToolFields) {
  return db.insertInto('tools').values({
    id: `tool-${randomUUID()}`,
    tool_type: 'custom',
    ...definitionColumns(tool),
    requirements: toJson(tool.requirements ?? []),
    tags: (tool.tags ?? []).map(storable),
    ...(tool.returnLimit === undefined ? {} : { return_limit: tool.returnLimit }),
    extras: toJson({ ...tool.extras, ...activityExtras(tool) }),
  });
}

function definitionColumns(tool: ToolDefinition) {
  return {
    name: tool.schema.name,
    description: storable(tool.description),
    source_type: tool.sourceType,
    source_code: tool.sourceCode === null ? null : storable(tool.sourceCode),
    json_schema: toJson(tool.schema),
    args_schema: tool.argsSchema === null ? null : toJson(tool.argsSchema),
    runtime: toJson(tool.runtime),
  };
}

/** The columns of the given fields. */
function changes(patch: Partial<ToolDefinition> & ToolFields) {
  const { sourceCode, schema, argsSchema, runtime, requirements, tags, returnLimit } = patch;
  const extras = { ...patch.extras, ...activityExtras(patch) };
  return {
    updated_at: sql<Date>`clock_timestamp()`,
    ...(patch.description === undefined ? {} : { description: storable(patch.description) }),
    ...(patch.sourceType === undefined ? {} : { source_type: patch.sourceType }),
    ...(sourceCode === undefined ? {} : { source_code: sourceCode === null ? null : storable(sourceCode) }),
    ...(schema === undefined ? {} : { name: schema.name, json_schema: toJson(schema) }),
    ...(argsSchema === undefined ? {} : { args_schema: argsSchema === null ? null : toJson(argsSchema) }),
    ...(runtime === undefined ? {} : { runtime: toJson(runtime) }),
    ...(requirements === undefined ? {} : { requirements: toJson(requirements) }),
    ...(tags === undefined ? {} : { tags: tags.map(storable) }),
    ...(returnLimit === undefined ? {} : { return_limit: returnLimit }),
    extras: sql<string>`tools.extras || ${toJson(extras)}::jsonb`,
  };
}

function activityExtras({ activity }: Partial<ToolDefinition>) {
  return activity === undefined ? {} : { activity: { ...activity } };
}
