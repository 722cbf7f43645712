import { z } from 'zod';
import type { ToolSchema } from '../../core/model.js';
import { freeObject } from './fields.js';

/** A tool as the API tells it. */
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
  })
  .meta({ id: 'Tool' });

export type WireTool = z.infer<typeof wireTool>;

/** What a tool's row holds. */
export interface StoredTool {
  readonly id: string;
  readonly name: string;
  readonly toolType: string;
  readonly description: string;
  readonly sourceType: string | null;
  readonly sourceCode: string | null;
  readonly schema: ToolSchema;
  readonly tags: readonly string[];
  /** Characters of a result that the model is shown. */
  readonly returnLimit: number;
}

export function toWireTool(tool: StoredTool): WireTool {
  return {
    id: tool.id,
    tool_type: tool.toolType,
    name: tool.name,
    description: tool.description,
    source_type: tool.sourceType,
    source_code: tool.sourceCode,
    json_schema: { ...tool.schema },
    args_json_schema: null,
    tags: [...tool.tags],
    return_char_limit: tool.returnLimit,
    pip_requirements: null,
    npm_requirements: null,
    default_requires_approval: null,
    enable_parallel_execution: false,
    created_by_id: null,
    last_updated_by_id: null,
    metadata_: {},
    project_id: null,
  };
}
