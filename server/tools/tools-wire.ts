import { z } from 'zod';
import type { ToolRequirement } from '../../core/tools/custom-tools.js';
import { activityOf } from '../../schema/tools/activity-tools.js';
import type { Tool } from '../../schema/tools/tools.js';
import { toWireActivity, wireActivity } from './activity-tools-wire.js';
import { freeObject } from '../http/fields-wire.js';
import { keptToolExtras } from './tool-requests-wire.js';

/** A tool as the API shows it. */
export const wireTool = z
  .object({
    id: z.string(),
    tool_type: z.string(),
    name: z.string(),
    description: z.string(),
    source_type: z.string().nullable(),
    source_code: z.string().nullable(),
    json_schema: freeObject,
    args_json_schema: freeObject.nullable(),
    tags: z.array(z.string()),
    return_char_limit: z.number(),
    pip_requirements: z.array(freeObject).nullable(),
    npm_requirements: z.array(freeObject).nullable(),
    default_requires_approval: z.boolean().nullable(),
    enable_parallel_execution: z.boolean(),
    created_by_id: z.string().nullable(),
    last_updated_by_id: z.string().nullable(),
    metadata_: freeObject,
    project_id: z.string().nullable(),
    /** Only for tools that are Temporal activities. */
    activity: wireActivity.optional(),
  })
  .meta({ id: 'Tool' });

export type WireTool = z.infer<typeof wireTool>;

export function toWireTool(tool: Tool): WireTool {
  const activity = activityOf(tool);
  const { data: kept = {} } = keptToolExtras.safeParse(tool.extras);
  return {
    id: tool.id,
    tool_type: tool.toolType,
    name: tool.name,
    description: tool.description,
    source_type: tool.sourceType,
    source_code: tool.sourceCode,
    json_schema: { ...tool.schema },
    args_json_schema: tool.argsSchema === null ? null : { ...tool.argsSchema },
    tags: [...tool.tags],
    return_char_limit: tool.returnLimit,
    pip_requirements: tool.requirements.length === 0 ? null : tool.requirements.map(toWireRequirement),
    npm_requirements: kept.npm_requirements ?? null,
    default_requires_approval: kept.default_requires_approval ?? null,
    enable_parallel_execution: kept.enable_parallel_execution ?? false,
    created_by_id: null,
    last_updated_by_id: null,
    metadata_: kept.metadata_ ?? {},
    project_id: null,
    ...(activity === undefined ? {} : { activity: toWireActivity(activity) }),
  };
}

function toWireRequirement({ name, version }: ToolRequirement): Record<string, unknown> {
  return { name, version: version ?? null };
}
