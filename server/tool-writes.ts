import {
  createCustomTool,
  type ToolDefinition,
  updateCustomTool,
  upsertCustomTool,
} from '../schema/custom-tools.js';
import { ToolNotCustomError } from '../schema/errors.js';
import { requireTool, type Tool } from '../schema/tools.js';
import type { ServerDeps } from './deps.js';
import { RequestRefusedError } from './problems.js';
import { defineTool, type SentTool } from './tool-definitions.js';
import { type Caller, generationOf } from './wire/client-generation.js';
import { type CreateToolBody, toToolFields, type UpdateToolBody } from './wire/tool-requests.js';

/** Makes the tool that a request describes. Throws RequestRefusedError and ToolNameTakenError. */
export async function createRequestedTool(
  { db, settings }: ServerDeps,
  body: CreateToolBody,
  caller: Caller,
): Promise<Tool> {
  refuseSource(settings);
  return createCustomTool(db, { ...(await defineTool(toSentTool(body, caller))), ...toToolFields(body) });
}

/** As `createRequestedTool`, or changes the custom tool of this name. */
export async function upsertRequestedTool(
  { db, settings }: ServerDeps,
  body: CreateToolBody,
  caller: Caller,
): Promise<Tool> {
  refuseSource(settings);
  return upsertCustomTool(db, { ...(await defineTool(toSentTool(body, caller))), ...toToolFields(body) });
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
 * Where tools may run without isolation, their source can do what a command can: strangers may send neither.
 * Throws RequestRefusedError.
 */
export function refuseSource({ allowsCommands, toolsAreIsolated }: ServerDeps['settings']): void {
  if (allowsCommands !== false || toolsAreIsolated === true) return;
  throw new RequestRefusedError(
    403,
    'A tool’s source runs on this machine, and anyone who reaches this server could send one. Set LETTA_SERVER_PASSWORD, listen on loopback only, or set TOOL_SANDBOX=strict, for servers and workers, so that tools run isolated or not at all.',
  );
}

/** What a request sends of a tool. */
export function toSentTool(body: CreateToolBody, caller: Caller): SentTool {
  return {
    sourceCode: body.source_code,
    sourceType: body.source_type ?? 'python',
    description: body.description ?? undefined,
    schema: body.json_schema ?? undefined,
    argsSchema: body.args_json_schema ?? undefined,
    generation: generationOf(caller),
  };
}

async function redefined(tool: Tool, body: UpdateToolBody, caller: Caller): Promise<Partial<ToolDefinition>> {
  const { description } = body;
  if (body.source_code == null && body.json_schema == null && body.args_json_schema == null) {
    return description == null ? {} : { description, schema: { ...tool.schema, description } };
  }
  const sent = toSentTool({ ...body, source_code: body.source_code ?? tool.sourceCode ?? '' }, caller);
  const { clientGeneration } = tool.runtime;
  return defineTool({
    ...sent,
    sourceType: body.source_type ?? tool.sourceType ?? 'python',
    // The source's author is who sent it, not who changes a schema.
    generation: body.source_code == null ? (clientGeneration ?? sent.generation) : sent.generation,
  });
}
