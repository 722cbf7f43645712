import {
  createCustomTool,
  type ToolDefinition,
  updateCustomTool,
  upsertCustomTool,
} from '../schema/custom-tools.js';
import type { Db } from '../schema/database.js';
import { ToolNotCustomError } from '../schema/errors.js';
import { requireTool, type Tool } from '../schema/tools.js';
import { defineTool, type SentTool } from './tool-definitions.js';
import { type Caller, generationOf } from './wire/client-generation.js';
import { type CreateToolBody, toToolFields, type UpdateToolBody } from './wire/tool-requests.js';

/** Makes the tool that a request describes. Throws RequestRefusedError and ToolNameTakenError. */
export async function createRequestedTool(db: Db, body: CreateToolBody, caller: Caller): Promise<Tool> {
  return createCustomTool(db, { ...(await defineTool(toSentTool(body, caller))), ...toToolFields(body) });
}

/** As `createRequestedTool`, or changes the custom tool of this name. */
export async function upsertRequestedTool(db: Db, body: CreateToolBody, caller: Caller): Promise<Tool> {
  return upsertCustomTool(db, { ...(await defineTool(toSentTool(body, caller))), ...toToolFields(body) });
}

/** Changes a custom tool. Throws RequestRefusedError, and what `updateCustomTool` throws. */
export async function changeRequestedTool(
  db: Db,
  change: { readonly toolId: string; readonly body: UpdateToolBody; readonly caller: Caller },
): Promise<Tool> {
  const { toolId, body, caller } = change;
  const tool = await requireTool(db, toolId);
  if (tool.toolType !== 'custom') throw new ToolNotCustomError(tool.name);
  return updateCustomTool(db, toolId, { ...(await redefined(tool, body, caller)), ...toToolFields(body) });
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
