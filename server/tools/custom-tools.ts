import { nameFault } from '../../core/tools/custom-tools.js';
import { activityOf } from '../../schema/tools/activity-tools.js';
import {
  createCustomTool,
  type ToolDefinition,
  updateCustomTool,
  upsertCustomTool,
} from '../../schema/tools/custom-tools.js';
import { ToolNotCustomError } from '../../schema/tools/errors.js';
import { requireTool, type Tool } from '../../schema/tools/tools.js';
import type { ServerDeps } from '../deps.js';
import { RequestRefusedError } from '../http/problems.js';
import { defineActivityTool, defineTool, type SentTool } from './tool-definitions.js';
import { fromWireActivity } from './activity-tools-wire.js';
import { type Caller, generationOf } from '../http/client-generation-wire.js';
import { type CreateToolBody, toToolFields, type UpdateToolBody } from './tool-requests-wire.js';

/** Creates the tool that a request describes. Throws RequestRefusedError and ToolNameTakenError. */
export async function createRequestedTool(
  { db, settings }: ServerDeps,
  body: CreateToolBody,
  caller: Caller,
): Promise<Tool> {
  return createCustomTool(db, { ...(await define(settings, body, caller)), ...toToolFields(body) });
}

/** As `createRequestedTool`; changes the custom tool with this name where there is one. */
export async function upsertRequestedTool(
  { db, settings }: ServerDeps,
  body: CreateToolBody,
  caller: Caller,
): Promise<Tool> {
  return upsertCustomTool(db, { ...(await define(settings, body, caller)), ...toToolFields(body) });
}

/** Changes a custom tool. Throws RequestRefusedError, and what `updateCustomTool` throws. */
export async function changeRequestedTool(
  { db, settings }: ServerDeps,
  change: { readonly toolId: string; readonly body: UpdateToolBody; readonly caller: Caller },
): Promise<Tool> {
  const { toolId, body, caller } = change;
  if (body.source_code != null) refuseSource(settings);
  const tool = await requireTool(db, toolId);
  if (tool.toolType !== 'custom') throw new ToolNotCustomError(tool.name);
  return updateCustomTool(db, toolId, { ...(await redefined(tool, body, caller)), ...toToolFields(body) });
}

/**
 * Refuses source from strangers where tools may run without isolation: such source can do anything on the machine.
 * Throws RequestRefusedError.
 */
export function refuseSource({ allowsCommands, toolsAreIsolated }: ServerDeps['settings']): void {
  if (allowsCommands !== false || toolsAreIsolated === true) return;
  throw new RequestRefusedError(
    403,
    'A tool’s source runs on this machine, and anyone who reaches this server could send one. Set LETTA_SERVER_PASSWORD, listen on loopback only, or set TOOL_SANDBOX=strict, for servers and workers, so that tools run isolated or not at all.',
  );
}

async function define(
  settings: ServerDeps['settings'],
  body: CreateToolBody,
  caller: Caller,
): Promise<ToolDefinition> {
  const { activity, json_schema: schema, description } = body;
  if (activity != null && schema != null) {
    return defineActivityTool({ activity: fromWireActivity(activity), schema, description });
  }
  refuseSource(settings);
  return defineTool(toSentTool(body, caller));
}

/** The tool that a request describes. */
export function toSentTool(body: UpdateToolBody, caller: Caller): SentTool {
  return {
    sourceCode: body.source_code ?? '',
    sourceType: body.source_type ?? 'python',
    description: body.description ?? undefined,
    schema: body.json_schema ?? undefined,
    argsSchema: body.args_json_schema ?? undefined,
    generation: generationOf(caller),
  };
}

async function redefined(tool: Tool, body: UpdateToolBody, caller: Caller): Promise<Partial<ToolDefinition>> {
  const { description } = body;
  if (tool.sourceType === 'temporal' || body.activity != null) return redefinedActivity(tool, body);
  if (body.source_code == null && body.json_schema == null && body.args_json_schema == null) {
    return description == null ? {} : { description, schema: { ...tool.schema, description } };
  }
  const sent = toSentTool({ ...body, source_code: body.source_code ?? tool.sourceCode ?? '' }, caller);
  const { clientGeneration, function: called } = tool.runtime;
  const defined = await defineTool({
    ...sent,
    // A schema without source can rename the tool; its function keeps its name.
    schema: isSchemaAlone(body) ? { ...body.json_schema, name: called ?? tool.name } : sent.schema,
    sourceType: body.source_type ?? tool.sourceType ?? 'python',
    // The generation belongs to the client that sent the source, not to one that changes a schema.
    generation: body.source_code == null ? (clientGeneration ?? sent.generation) : sent.generation,
  });
  return isSchemaAlone(body) ? renamed(defined, body.json_schema.name) : defined;
}

type SchemaAlone = UpdateToolBody & { readonly json_schema: NonNullable<UpdateToolBody['json_schema']> };

function isSchemaAlone(body: UpdateToolBody): body is SchemaAlone {
  return body.json_schema != null && body.source_code == null;
}

/** Throws RequestRefusedError where a tool can't have this name. */
function renamed(definition: ToolDefinition, name: string): ToolDefinition {
  const fault = nameFault(name);
  if (fault !== undefined) throw new RequestRefusedError(400, fault);
  return { ...definition, schema: { ...definition.schema, name } };
}

async function redefinedActivity(tool: Tool, body: UpdateToolBody): Promise<ToolDefinition> {
  const current = activityOf(tool);
  if (current === undefined || body.source_code != null || body.args_json_schema != null) {
    const message = `An update can't turn the tool '${tool.name}' from source into an activity or back. Upsert it (PUT /v1/tools).`;
    throw new RequestRefusedError(422, message);
  }
  const { activity, json_schema: schema, description } = body;
  return defineActivityTool({
    activity: activity == null ? current : fromWireActivity(activity),
    schema: schema ?? { ...tool.schema, description: description ?? tool.schema.description },
    description: description ?? schema?.description ?? tool.description,
  });
}
